import { InvalidArgumentError } from '../errors.js';
import { loneSurrogate } from '../lib/values.js';
import { decodeText, encodeText, fold } from './path-text.js';

/** One segment of a path template: text and parameters in turn, beginning and ending with text, which may be empty. */
interface TemplateSegment {
  /** The texts as they are sent. */
  readonly texts: readonly string[];
  /** The texts, folded. */
  readonly loose: readonly string[];
  readonly names: readonly string[];
}

/** A segment of a path, as it was sent. */
export interface SentSegment {
  /** With the characters encoded that a path cannot hold. */
  readonly text: string;
  /** The text, folded. */
  readonly loose: string;
}

/** A path template like `/orders/{id}`. */
export interface PathTemplate {
  readonly segments: readonly TemplateSegment[];
  /** The names of the parameters, in order. */
  readonly names: readonly string[];
}

/** Splits a text at its `{name}`s: texts and names alternate. */
export const splitTemplate = (text: string): string[] => text.split(/\{([^{}]*)\}/);

const odd = (_: unknown, index: number) => index % 2 === 1;
const even = (_: unknown, index: number) => index % 2 === 0;

function parseSegment(segment: string): TemplateSegment {
  const parts = splitTemplate(segment);
  const texts = parts.filter(even);
  return { texts: texts.map(encodeText), loose: texts.map(fold), names: parts.filter(odd) };
}

/** Parses a path template; throws InvalidArgumentError without a leading slash, for stray braces and equal names. */
export function parseTemplate(path: string, field: string): PathTemplate {
  const isBroken = loneSurrogate.test(path) || /[{}?#]/.test(path.replace(/\{[^{}?#]+\}/g, ''));
  const segments = isBroken ? [] : path.split('/').slice(1).map(parseSegment);
  const names = segments.flatMap((segment) => segment.names);
  if (!path.startsWith('/') || isBroken || new Set(names).size < names.length) {
    throw new InvalidArgumentError(field, 'expected a path like "/orders/{id}", each name once');
  }
  return { segments, names };
}

/** Splits a text at fixed texts, from the left; undefined if it does not hold them. The values may be empty. */
function splitAt(texts: readonly string[], whole: string): string[] | undefined {
  const [prefix = '', ...rest] = texts;
  const suffix = rest.pop();
  if (suffix === undefined) return whole === prefix ? [] : undefined;
  const end = whole.length - suffix.length;
  if (!whole.startsWith(prefix) || !whole.endsWith(suffix)) return undefined;
  let at = prefix.length;
  const values: string[] = [];
  for (const text of rest) {
    const next = whole.indexOf(text, at);
    if (next === -1) return undefined;
    values.push(whole.slice(at, next));
    at = next + text.length;
  }
  return at > end ? undefined : [...values, whole.slice(at, end)];
}

const mirrored = (text: string) => [...text].reverse().join('');

/** True if there is only one way to split a text: routers differ on which one they take. */
function splitsOneWay(texts: readonly string[], whole: string): boolean {
  const fromLeft = splitAt(texts, whole);
  const fromRight = splitAt(texts.map(mirrored).reverse(), mirrored(whole));
  return fromLeft?.join('/') === fromRight?.map(mirrored).reverse().join('/');
}

/** The values of a segment's parameters, as sent; undefined if it does not match exactly, and in one way only. */
function matchSegment({ texts, loose, names }: TemplateSegment, sent: SentSegment): string[] | undefined {
  const values = splitAt(texts, sent.text);
  const isSure = names.length < 2 || splitsOneWay(loose, sent.loose);
  // In front of a colon, some routers take no value with a colon, and run another path's handler.
  const hasColon = loose.some((text) => text.includes(':'));
  // A value has at least one character.
  const isValue = (value: string) => {
    const text = decodeText(value);
    return text && !(hasColon && text.includes(':'));
  };
  return isSure && values?.every(isValue) ? values : undefined;
}

/** The values of a template's parameters, as they were sent; undefined if the path does not match exactly. */
export function matchTemplate(
  { segments, names }: PathTemplate,
  sent: readonly SentSegment[],
): ReadonlyMap<string, string> | undefined {
  const matches = sent.map((segment, index) => segments[index] && matchSegment(segments[index], segment));
  const values = matches.flat();
  return segments.length === sent.length && matches.every((match) => match)
    ? new Map(names.map((name, index) => [name, values[index] ?? '']))
    : undefined;
}

/** The segments without the empty one behind a slash at the end. */
const withoutSlash = <Segment extends { readonly loose: unknown }>(segments: readonly Segment[]) =>
  segments.filter(({ loose }, index) => `${loose}` !== '' || index < segments.length - 1);

/** True if a router that ignores case, encoding, Unicode forms or a final slash may match the path to a template. */
export function mayMatch({ segments }: PathTemplate, sent: readonly SentSegment[]): boolean {
  const [wanted, sentSegments] = [withoutSlash(segments), withoutSlash(sent)];
  return (
    wanted.length === sentSegments.length &&
    wanted.every(({ loose }, index) => splitAt(loose, sentSegments[index]?.loose ?? ''))
  );
}

/** True if every path of one template also matches the other, whose parameters take as much or more. */
const isWithin = (template: PathTemplate, other: PathTemplate): boolean =>
  withoutSlash(template.segments).every(({ texts }, index) =>
    splitAt(other.segments[index]?.texts ?? [], texts.join('{}')),
  );

/** True if one template matches only a part of the paths of the other: `/orders/{id}` and `/{a}/{b}`. */
export const isMoreSpecific = (template: PathTemplate, other: PathTemplate): boolean =>
  isWithin(template, other) && !isWithin(other, template);

/**
 * Orders templates: by their number of segments, because only templates of equal length match the same paths; then by
 * the first segment that differs: fixed text first, then text with parameters in it, then a parameter alone.
 */
export function compareTemplates(a: PathTemplate, b: PathTemplate): number {
  const orders = a.segments.map((segment, index) => looseness(segment) - looseness(b.segments[index] ?? segment));
  return a.segments.length - b.segments.length || (orders.find(Boolean) ?? 0);
}

/** 0 for text; otherwise less with each character beside the parameters. */
const looseness = ({ texts, names }: TemplateSegment): number =>
  names.length === 0 ? 0 : 1 / (1 + texts.join('').length);
