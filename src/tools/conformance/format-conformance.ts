import { counted } from '../../base/lib/counted.js';
import { printable } from '../../base/lib/text/printable.js';
import { escapeXml, xmlAttribute } from '../../base/lib/xml.js';
import {
  type ConformanceDifference,
  type ConformanceFit,
  type ConformanceReport,
  type ConformanceResult,
  countResults,
} from './conformance-report.js';

const widths = [44, 34, 22, 22] as const;

/** Breaks a text into lines of a width, at spaces or behind slashes if there are any. */
function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (let rest = text; ; ) {
    if (rest.length <= width) return [...lines, rest];
    const space = rest.lastIndexOf(' ', width);
    const slash = rest.lastIndexOf('/', width - 1) + 1;
    const end = [space, slash].find((at) => at > width / 3) ?? width;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
}

/** Lines of a row of the table, whose cells are lists of lines. */
function row(cells: readonly (readonly string[])[]): string[] {
  const height = Math.max(...cells.map(({ length }) => length));
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((lines, index) => (lines[line] ?? '').padEnd(widths[index] ?? 20))
      .join('  ')
      .trimEnd(),
  );
}

/** Cells of a row, each with the lines that its width needs. */
const wrapAll = (cells: readonly string[], from = 0): string[][] =>
  cells.map((cell, index) => wrap(cell, widths[index + from] ?? 20));

const show = (value: unknown): string => printable(value === undefined ? '(nothing)' : JSON.stringify(value));

/** The longest value in the table, in characters; JSON and JUnit have more of it. */
const longestCell = 400;

const cut = (text: string): string => (text.length > longestCell ? `${text.slice(0, longestCell)}…` : text);

/** The question and the part of its answer. */
const placeOf = ({ question, at }: ConformanceDifference): string =>
  printable(`${question} ${at === '' ? 'body' : at}`);

/** One row for a check: its sentence and its name, and beside them the parts that differ. */
function rowOf(parts: readonly ConformanceDifference[]): string[] {
  const [first] = parts;
  const head = wrap(printable(first?.sentence ?? ''), widths[0]);
  const name = wrap(`[${printable(first?.check ?? '')}]`, widths[0]);
  const lines = parts.flatMap((part) =>
    row([[], ...wrapAll([placeOf(part), ...[part.expected, part.observed].map((value) => cut(show(value)))], 1)]),
  );
  const indent = widths[0] + 2;
  return row([[...head, ...name], lines.map((line) => line.slice(indent))]);
}

function table(differences: readonly ConformanceDifference[]): string[] {
  const head = ['sentence of docs/wire.md [check]', 'where', 'expected', 'observed'];
  const byCheck = Map.groupBy(differences, ({ check }) => check);
  return [
    ...row(wrapAll(head)),
    ...row(wrapAll(widths.map((width) => '-'.repeat(width)))),
    ...[...byCheck.values()].flatMap((parts) => [...rowOf(parts), '']),
  ];
}

/** Settings in a few words. */
function describeSettings({ settings }: Pick<ConformanceFit, 'settings'>): string {
  const { fidelity, platform, authentication, type, central, cookies, passive, ttl } = settings;
  const tokens = `tokens ${ttl.min} to ${ttl.max}, ${ttl.default} by default`;
  return [
    fidelity,
    `platform ${platform}`,
    `type ${type}`,
    authentication ? 'authentication on' : 'authentication off',
    tokens,
    central ? 'central services' : 'no central services',
    cookies ? 'cookies count' : 'cookies do not count',
    ...(passive ? ['passive keys'] : []),
  ].join(', ');
}

/** The checks that were not tried, by reason. */
function notTriedLines({ notTried }: ConformanceReport): string[] {
  const byReason = Map.groupBy(notTried, ({ why }) => why);
  return [...byReason].map(([why, some]) => `  ${some.length}: ${printable(why)}`);
}

function toText(report: ConformanceReport): string {
  const { differences, unmatched, stopped, fits, settings, questions, left } = report;
  const open = differences.filter(({ known }) => known === undefined);
  const knownDifferences = differences.filter((difference) => difference.known !== undefined);
  const counts = countResults(report);
  const { best } = fits;
  const isOther = JSON.stringify(best.settings) !== JSON.stringify(settings);
  return [
    ...(open.length > 0 ? table(open) : []),
    ...knownDifferences.map(
      (difference) => `known: ${difference.check} ${placeOf(difference)} – ${printable(difference.known ?? '')}`,
    ),
    ...unmatched.map((entry) => `known, but not found: ${printable(`${entry.check} ${entry.at ?? ''}`.trimEnd())}`),
    `${counted(counts.alike, 'check')} alike, ${counts.different} different, ${counts.known} known, ` +
      `${counts.notTried} not tried; ${counted(questions, 'question')}.`,
    `Compared with: ${describeSettings({ settings })}.`,
    ...(isOther ? [`Fits best (${best.different} different): ${describeSettings(best)}.`] : []),
    ...(counts.notTried > 0 ? ['Not tried:', ...notTriedLines(report)] : []),
    ...(left.length > 0 ? [`Left behind, for the next run with --write: ${printable(left.join(', '))}`] : []),
    ...(stopped ? ['Stopped early.'] : []),
  ].join('\n');
}

function toJUnit(report: ConformanceReport): string {
  const { checks, differences, notTried } = report;
  const counts = countResults(report);
  const numbers =
    xmlAttribute('tests', checks.length) +
    xmlAttribute('failures', counts.different) +
    xmlAttribute('errors', 0) +
    xmlAttribute('skipped', counts.notTried);
  const testcase = ({ check, sentence, result }: ConformanceResult): string[] => {
    const head =
      xmlAttribute('name', `${check}: ${sentence}`) + xmlAttribute('classname', `conformance.${check.split('/')[0]}`);
    const of = differences.filter((difference) => difference.check === check);
    if (result === 'not tried') {
      const why = notTried.find((finding) => finding.check === check)?.why ?? '';
      return [`    <testcase${head}>`, `      <skipped${xmlAttribute('message', why)}/>`, '    </testcase>'];
    }
    if (result !== 'different') return [`    <testcase${head}/>`];
    const lines = of.map(
      (part) => `${placeOf(part)}: expected ${show(part.expected)}, observed ${show(part.observed)}`,
    );
    const failure = `      <failure${xmlAttribute('message', sentence)}>${escapeXml(lines.join('\n'))}</failure>`;
    return [`    <testcase${head}>`, failure, '    </testcase>'];
  };
  const suite = [
    `  <testsuite${xmlAttribute('name', 'arango-services conformance')}${numbers}>`,
    ...checks.flatMap(testcase),
  ];
  const head = ['<?xml version="1.0" encoding="UTF-8"?>', `<testsuites${numbers}>`];
  return `${[...head, ...suite, '  </testsuite>', '</testsuites>'].join('\n')}\n`;
}

/**
 * Formats a report: a table for people, JSON, or JUnit XML for CI systems. The text may change between versions, so
 * programs should read the report.
 * @example
 * ```ts
 * import { createClient } from 'arango-services';
 * import { checkConformance, formatConformance } from 'arango-services/conformance';
 *
 * const report = await checkConformance(createClient({ url: 'http://localhost:8529' }));
 * console.log(formatConformance(report));
 * ```
 */
export function formatConformance(report: ConformanceReport, as: 'text' | 'json' | 'junit' = 'text'): string {
  if (as === 'json') return JSON.stringify(report);
  return as === 'junit' ? toJUnit(report) : toText(report);
}
