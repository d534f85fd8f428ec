import { counted } from '../../base/lib/counted.js';
import { printable } from '../../base/lib/text/printable.js';
import { escapeXml, xmlAttribute } from '../../base/lib/xml.js';
import type { TestReport, TestResult } from './run-tests.js';

const indent = (lines: readonly string[]) => lines.map((line) => `    ${printable(line)}`);

/** The lines of a failure after the first. */
function failureLines({ because, explanation }: TestResult): string[] {
  return [...(because === undefined ? [] : [...`because ${because}`.split('\n')]), ...explanation.split('\n')];
}

const headOf = ({ file, line, column, name }: TestResult) => printable(`${file}:${line}:${column}: ${name}`);

function toText({ results, users, unknown }: TestReport): string {
  const failed = results.filter(({ passed }) => !passed);
  const failures = failed.flatMap((failure) => [`FAILED ${headOf(failure)}`, ...indent(failureLines(failure)), '']);
  const only = users !== 'all' && results.some(({ kind }) => kind === 'nobody');
  const caveats = only ? [`nobody: checked for the bindings of ${counted(users.length, 'known user')}.`] : [];
  const notes = unknown.map(({ file, line, column, message }) => printable(`${file}:${line}:${column}: ${message}`));
  return [...failures, `${results.length - failed.length} passed, ${failed.length} failed.`, ...caveats, ...notes].join(
    '\n',
  );
}

function toJUnit({ results }: TestReport): string {
  const counts = (some: readonly TestResult[]) =>
    xmlAttribute('tests', some.length) +
    xmlAttribute('failures', some.filter(({ passed }) => !passed).length) +
    xmlAttribute('errors', 0);
  const testcase = (result: TestResult): string[] => {
    const { file, line, name, passed } = result;
    const head = xmlAttribute('name', name) + xmlAttribute('classname', file) + xmlAttribute('file', file);
    const open = `    <testcase${head}${xmlAttribute('line', line)}`;
    if (passed) return [`${open}/>`];
    const text = escapeXml([headOf(result), ...failureLines(result)].join('\n'));
    const failure = `      <failure${xmlAttribute('message', headOf(result))}>${text}</failure>`;
    return [`${open}>`, failure, '    </testcase>'];
  };
  const files = [...new Set(results.map(({ file }) => file))];
  const suites = files.flatMap((file) => {
    const ofFile = results.filter((result) => result.file === file);
    const head = `  <testsuite${xmlAttribute('name', file)}${counts(ofFile)}>`;
    return [head, ...ofFile.flatMap(testcase), '  </testsuite>'];
  });
  const head = '<?xml version="1.0" encoding="UTF-8"?>';
  return `${[head, `<testsuites${counts(results)}>`, ...suites, '</testsuites>'].join('\n')}\n`;
}

/**
 * Formats the results of tests: as lines for people, with the explanation of each failure; as JSON; or as JUnit XML for
 * CI systems. The text may change between versions, so programs should read the data.
 * @example
 * ```ts
 * import { formatTests } from 'arango-services/permissions';
 *
 * const results = formatTests({ passed: true, results: [], coverage: { items: [] }, unknown: [], users: 'all' });
 * console.log(results); // 0 passed, 0 failed.
 * ```
 */
export function formatTests(report: TestReport, as: 'text' | 'json' | 'junit' = 'text'): string {
  if (as === 'json') return JSON.stringify(report);
  return as === 'junit' ? toJUnit(report) : toText(report);
}
