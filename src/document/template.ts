import { InvalidArgumentError } from '../errors.js';

/** One segment of a path template: text and parameters in turn, beginning and ending with text, which may be empty. */
interface TemplateSegment {
  readonly texts: readonly string[];
  readonly names: readonly string[];
}

/** A segment of a path, as it was sent and decoded. */
export interface SentSegment {
  readonly raw: string;
  readonly text: string;
  /** The text, folded. */
  readonly loose: string;
}

/** A path template like `/orders/{id}`. */
export interface PathTemplate {
  readonly segments: readonly TemplateSegment[];
  /** The segments with folded texts, without the empty segment of a trailing slash. */
  readonly loose: readonly TemplateSegment[];
  /** The names of the parameters, in order. */
  readonly names: readonly string[];
}

/** Folds a text: drops the differences that routers may ignore, of case and of Unicode normalization. */
export const fold = (text: string): string => text.normalize('NFKC').toUpperCase().toLowerCase();

const withoutSlash = (segments: readonly TemplateSegment[]) =>
  segments.filter(({ texts }, index) => index < segments.length - 1 || texts.join() !== '' || texts.length > 1);

/** Splits a text at its `{name}`s: texts and names alternate. */
export const splitTemplate = (text: string): string[] => text.split(/\{([^{}]*)\}/);

const odd = (_: unknown, index: number) => index % 2 === 1;
const even = (_: unknown, index: number) => index % 2 === 0;

/**
 * Parses a path template.
 * @throws InvalidArgumentError for one without a slash in front, with a stray brace, or with a name twice.
 */
export function parseTemplate(path: string, field: string): PathTemplate {
  const [first, ...rest] = path.split('/');
  const segments = rest.map((segment) => {
    const parts = splitTemplate(segment);
    return { texts: parts.filter(even), names: parts.filter(odd) };
  });
  const names = segments.flatMap((segment) => segment.names);
  const isBroken = segments.some(({ texts }) => texts.some((text) => /[{}?#]/.test(text))) || names.includes('');
  if (first !== '' || isBroken || new Set(names).size < names.length) {
    throw new InvalidArgumentError(field, 'expected a path like "/orders/{id}", each name once');
  }
  const loose = withoutSlash(segments).map(({ texts, names }) => ({ texts: texts.map(fold), names }));
  return { segments, loose, names };
}

/** True for the forms in which clients send a text. */
const isSentAs = (text: string, { raw }: SentSegment): boolean =>
  raw === text || raw === encodeURIComponent(text) || raw === encodeURI(text);

/** Matches the parameters from the left, each as short as possible; undefined if the segment does not match. */
function matchTexts(texts: readonly string[], given: string): string[] | undefined {
  const [prefix = '', ...rest] = texts;
  if (!given.startsWith(prefix)) return undefined;
  let at = prefix.length;
  const values: string[] = [];
  for (const [index, text] of rest.entries()) {
    const isLast = index === rest.length - 1;
    // A value has at least one character.
    const end = isLast ? given.length - text.length : given.indexOf(text, at + 1);
    if (end <= at || !given.startsWith(text, end)) return undefined;
    // Another place for the same text would give other values, and routers differ on which to take.
    if (!isLast && given.indexOf(text, end + 1) !== -1) return undefined;
    values.push(given.slice(at, end));
    at = end + text.length;
  }
  return values;
}

/** The values of a template's parameters, decoded; undefined if the path does not match exactly. */
export function matchTemplate(
  { segments }: PathTemplate,
  sent: readonly SentSegment[],
): ReadonlyMap<string, string> | undefined {
  if (segments.length !== sent.length) return undefined;
  const values = new Map<string, string>();
  for (const [index, { texts, names }] of segments.entries()) {
    const given = sent[index];
    if (given === undefined) return undefined;
    if (names.length === 0) {
      if (!isSentAs(texts[0] ?? '', given)) return undefined;
      continue;
    }
    const found = matchTexts(texts, given.text);
    if (found === undefined) return undefined;
    for (const [place, name] of names.entries()) values.set(name, found[place] ?? '');
  }
  return values;
}

/**
 * True if a router that ignores case or a trailing slash, or decodes before it compares, may match the path to this
 * template.
 */
export function mayMatch({ loose }: PathTemplate, sent: readonly SentSegment[]): boolean {
  return (
    loose.length === sent.length - (sent.at(-1)?.raw === '' ? 1 : 0) &&
    loose.every(({ texts: [prefix = '', ...rest] }, index) => {
      const text = sent[index]?.loose ?? '';
      return rest.length === 0 ? text === prefix : text.startsWith(prefix) && text.endsWith(rest.at(-1) ?? '');
    })
  );
}

/**
 * True if every path of one template also matches the other, whose parameters take more: those of `/orders/{id}` match
 * `/{a}/{b}`.
 */
export function isWithin(template: PathTemplate, other: PathTemplate): boolean {
  return withoutSlash(template.segments).every(({ texts }, index) => {
    const wide = other.segments[index]?.texts ?? [];
    if (texts.join('{}') === wide.join('{}')) return true;
    const [prefix = '', suffix = ''] = wide;
    return wide.length === 2 && texts[0]?.startsWith(prefix) === true && texts.at(-1)?.endsWith(suffix) === true;
  });
}

/**
 * Orders templates: by their number of segments, because only those of one length match the same paths; then, at the
 * first segment that differs, text before text with parameters before a parameter.
 */
export function compareTemplates(a: PathTemplate, b: PathTemplate): number {
  let order = a.segments.length - b.segments.length;
  for (const [index, segment] of a.segments.entries()) {
    const other = b.segments[index];
    if (order === 0 && other !== undefined) order = looseness(segment) - looseness(other);
  }
  return order;
}

/** 0 for text; otherwise more with each parameter, and less with each character beside them. */
function looseness({ texts, names }: TemplateSegment): number {
  return names.length === 0 ? 0 : names.length + 1 / (1 + texts.join('').length);
}
