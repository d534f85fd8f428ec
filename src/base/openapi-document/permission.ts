import { InvalidArgumentError } from '../errors.js';
import { filled, type Reader, readArgument, readText, refuse, strictObject } from '../lib/readers.js';
import { isOneSegment } from './path-text.js';
import type { ResourceParameter } from './resource-parameter.js';
import { resourceTexts } from './resource-values.js';
import { splitTemplate } from './template.js';

/** A part of a resource: text, or a parameter of the path or the query. */
export type ResourcePart = string | (ResourceParameter & { readonly takesColons: boolean });

/** The permission of an operation: `x-permission: { action, resource }`. */
export interface Permission {
  readonly action: string;
  /** The resource as in the document, with its `{name}`s. */
  readonly resource: string;
  /** The resource, parsed. */
  readonly parts: readonly ResourcePart[];
}

const readAction: Reader<string> = (value, reading) =>
  typeof value === 'string' && /^[^:]+:[^:]+$/.test(value)
    ? readText(value, reading)
    : refuse(reading, 'an action like "orders:read"', value);

const readPermissionFields = strictObject(
  { action: readAction, resource: filled(readText) },
  '"public", or an object with action and resource',
);

/**
 * Reads the `x-permission` of an operation; undefined if it has none.
 * @param parameterOf a parameter by its name, and if its texts are taken as they are; or the problem
 * @throws InvalidArgumentError naming the field, also for a resource with an unknown parameter.
 */
export function readPermission(
  value: unknown,
  field: string,
  parameterOf: (name: string, asText: boolean) => ResourceParameter | string,
): Permission | 'public' | undefined {
  if (value === undefined || value === 'public') return value;
  const { action, resource } = readArgument(value, field, readPermissionFields);
  const parts = splitTemplate(resource).map((text, index): ResourcePart => {
    if (index % 2 === 0) {
      if (!/[{}]/.test(text)) return text;
      throw new InvalidArgumentError(`${field}.resource`, 'holds a brace that is not part of a {name}');
    }
    const name = text.replace(/(?::text)?\*?$/, '');
    const parameter = parameterOf(name, /:text\*?$/.test(text));
    if (typeof parameter === 'string') throw new InvalidArgumentError(`${field}.resource`, parameter);
    return { ...parameter, takesColons: text.endsWith('*') };
  });
  if (parts.some((part, index) => part === '' && index > 0 && index < parts.length - 1)) {
    throw new InvalidArgumentError(`${field}.resource`, 'has two parameters without text between them');
  }
  return { action, resource, parts: parts.filter((part) => part !== '') };
}

/** A permission that a request needs. */
export type RequiredPermission = { readonly action: string; readonly resource: string };

const reaches = 'could reach another resource';

/** The number of resources that a request may need, because of its lists. */
const mostResources = 1_000;

/**
 * Puts values into the resource of a permission; a list makes a resource of each of its items.
 * @param values the parameters of the path, as `resourceTexts` takes them, or all that a framework has read
 * @returns all that a caller needs, nothing for a public operation; or the reason why every caller is denied: without
 * `x-permission`, or with a value that is missing or empty, could reach other resources (because of a `:`, unless the
 * template takes colons: `{name*}`, or because of the text in front of the next parameter), or has another spelling.
 */
export function requiredBy(
  permission: Permission | 'public' | undefined,
  values: ReadonlyMap<string, string | readonly string[]>,
  query = '',
): readonly RequiredPermission[] | string {
  if (permission === undefined) return 'the operation has no x-permission';
  if (permission === 'public') return [];
  const { action, parts } = permission;
  let resources = [''];
  for (const [index, part] of parts.entries()) {
    const isText = typeof part === 'string';
    const texts = [...new Set(isText ? [part] : resourceTexts(part, values.get(part.name), query))];
    if (!isText) {
      const problems = texts.map((text) => problemOf(text, part, parts.slice(index + 1)));
      const problem = texts.length === 0 ? 'is missing, or may be read in more than one way' : problems.find(Boolean);
      if (problem) return `the parameter ${part.name} ${problem}`;
    }
    if (resources.length * texts.length > mostResources) return `more than ${mostResources} resources`;
    resources = resources.flatMap((start) => texts.map((text) => start + text));
  }
  return resources.map((resource) => ({ action, resource }));
}

/** The reason why a value is denied: it could reach other resources, or be read as the value of another text. */
function problemOf(
  text: string,
  { takesColons, isPlain }: Exclude<ResourcePart, string>,
  [separator, next]: readonly ResourcePart[],
): string | undefined {
  if (!text) return 'is empty';
  if (!isPlain(text)) return 'is not in the one spelling of its type';
  if (!isOneSegment(text) || (!takesColons && text.includes(':'))) return reaches;
  if (typeof separator !== 'string' || typeof next !== 'object') return undefined;
  // With `{a}-{b}`, `x-y` and `z` would make the resource of `x` and `y-z`. A colon separates by itself.
  const isSeparated = separator.includes(':') && !next.takesColons;
  return isSeparated || (text + separator).indexOf(separator) === text.length ? undefined : reaches;
}
