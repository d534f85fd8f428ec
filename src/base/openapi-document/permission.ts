import { InvalidArgumentError } from '../errors.js';
import { filled, type Reader, readArgument, readText, refuse, strictObject } from '../lib/readers.js';
import { isObject } from '../lib/values.js';
import type { IsPlain } from './path-parameter.js';
import { isOneSegment } from './path-text.js';
import { splitTemplate } from './template.js';

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
 * @param plainOf the check of a parameter's texts; undefined if they are encoded values
 * @throws InvalidArgumentError naming the field, also for a resource with an unknown parameter.
 */
export function readPermission(
  value: unknown,
  names: readonly string[],
  field: string,
  plainOf: (name: string) => IsPlain | undefined,
): Permission | 'public' | undefined {
  if (value === undefined || value === 'public') return value;
  const { action, resource } = readArgument(value, field, readPermissionFields);
  const parts = splitTemplate(resource).map((text, index): ResourcePart => {
    if (index % 2 === 0) {
      if (!/[{}]/.test(text)) return text;
      throw new InvalidArgumentError(`${field}.resource`, 'holds a brace that is not part of a {name}');
    }
    const name = text.replace(/\*$/, '');
    if (!names.includes(name)) {
      const known = names.length === 0 ? 'the path has none' : `the path has ${names.join(', ')}`;
      throw new InvalidArgumentError(`${field}.resource`, `names an unknown parameter; ${known}`);
    }
    const isPlain = plainOf(name);
    if (isPlain !== undefined) return { name, takesColons: name !== text, isPlain };
    const problem = 'names a parameter that is a list or an object, or in a style other than "simple"';
    throw new InvalidArgumentError(`${field}.resource`, problem);
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

/**
 * Puts values into the resource of a permission.
 * @returns what a caller needs, nothing for a public operation; or the reason why every caller is denied: without
 * `x-permission`, or with a value that {@link fillResource} refuses.
 */
export function requiredBy(
  permission: Permission | 'public' | undefined,
  values: ReadonlyMap<string, string>,
): readonly RequiredPermission[] | string {
  if (permission === undefined) return 'the operation has no x-permission';
  if (permission === 'public') return [];
  const resource = fillResource(permission, values);
  return resource === undefined
    ? 'a parameter is empty, or could reach another resource'
    : [{ action: permission.action, resource }];
}

/**
 * Undefined if a value is missing or empty, is not one segment, could reach other resources (because of a `:`, unless
 * the template takes colons: `{name*}`, or because of the text in front of the next parameter), or could be read as
 * another value by a service, as `07` for 7.
 */
function fillResource({ parts }: Permission, values: ReadonlyMap<string, string>): string | undefined {
  let resource = '';
  for (const [index, part] of parts.entries()) {
    const text = typeof part === 'string' ? part : values.get(part.name);
    if (!text) return undefined;
    resource += text;
    if (typeof part === 'string') continue;
    if (!isOneSegment(text) || !part.isPlain(text) || (!part.takesColons && text.includes(':'))) return undefined;
    const [separator, next] = parts.slice(index + 1);
    if (typeof separator !== 'string' || typeof next !== 'object') continue;
    // With `{a}-{b}`, `x-y` and `z` would make the resource of `x` and `y-z`. A colon separates by itself.
    const isSeparated = separator.includes(':') && !next.takesColons;
    if (!isSeparated && (text + separator).indexOf(separator) !== text.length) return undefined;
  }
  return resource;
}

/** True for a value that may stand in a document: JSON, or the output of a YAML parser. */
export const isDocument = (
  value: unknown,
): value is Record<string, unknown> & { readonly paths: Record<string, unknown> } =>
  isObject(value) && isObject(value.paths);
