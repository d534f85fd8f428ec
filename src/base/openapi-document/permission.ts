import { InvalidArgumentError } from '../errors.js';
import { filled, type Reader, readArgument, readText, refuse, strictObject } from '../lib/readers.js';
import { isObject } from '../lib/values.js';
import { isOneSegment } from './path-text.js';
import { splitTemplate } from './template.js';
import type { IsPlain } from './value-forms.js';

/** A part of a resource: text, or a parameter of the path. */
export type ResourcePart = string | { readonly name: string; readonly takesColons: boolean; readonly isPlain: IsPlain };

/** The permission of an operation: `x-permission: { action, resource }`. */
export interface Permission {
  readonly action: string;
  /** As in the document, with its `{name}`s. */
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
 * @param names the parameters of the operation's path
 * @param plainOf the check of a parameter's texts, by its name and if they are taken as they are; or the problem
 * @throws InvalidArgumentError naming the field, also for a resource with an unknown parameter.
 */
export function readPermission(
  value: unknown,
  names: readonly string[],
  field: string,
  plainOf: (name: string, asText: boolean) => IsPlain | string,
): Permission | 'public' | undefined {
  if (value === undefined || value === 'public') return value;
  const { action, resource } = readArgument(value, field, readPermissionFields);
  const parts = splitTemplate(resource).map((text, index): ResourcePart => {
    if (index % 2 === 0) {
      if (!/[{}]/.test(text)) return text;
      throw new InvalidArgumentError(`${field}.resource`, 'holds a brace that is not part of a {name}');
    }
    const name = text.replace(/(?::text)?\*?$/, '');
    if (!names.includes(name)) {
      const known = names.length === 0 ? 'the path has none' : `the path has ${names.join(', ')}`;
      throw new InvalidArgumentError(`${field}.resource`, `names an unknown parameter; ${known}`);
    }
    const isPlain = plainOf(name, /:text\*?$/.test(text));
    if (typeof isPlain === 'string') throw new InvalidArgumentError(`${field}.resource`, isPlain);
    return { name, takesColons: text.endsWith('*'), isPlain };
  });
  if (parts.some((part, index) => part === '' && index > 0 && index < parts.length - 1)) {
    throw new InvalidArgumentError(`${field}.resource`, 'has two parameters without text between them');
  }
  return { action, resource, parts: parts.filter((part) => part !== '') };
}

/** A permission that a request needs. */
export interface RequiredPermission {
  readonly action: string;
  readonly resource: string;
}

const reaches = 'could reach another resource';

/**
 * Puts values into the resource of a permission.
 * @returns what a caller needs, nothing for a public operation; or the reason why every caller is denied: without
 * `x-permission`, or with a value that is empty, could reach other resources (because of a `:`, unless the template
 * takes colons: `{name*}`, or because of the text in front of the next parameter), or has another spelling.
 */
export function requiredBy(
  permission: Permission | 'public' | undefined,
  values: ReadonlyMap<string, string>,
): readonly RequiredPermission[] | string {
  if (permission === undefined) return 'the operation has no x-permission';
  if (permission === 'public') return [];
  let resource = '';
  for (const [index, part] of permission.parts.entries()) {
    const text = typeof part === 'string' ? part : values.get(part.name);
    const problem = typeof part === 'object' && problemOf(text, part, permission.parts.slice(index + 1));
    if (problem) return `the parameter ${part.name} ${problem}`;
    resource += text;
  }
  return [{ action: permission.action, resource }];
}

/** The reason why a value is denied: it could reach other resources, or be read as the value of another text. */
function problemOf(
  text: string | undefined,
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
