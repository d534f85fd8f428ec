import { InvalidArgumentError } from '../errors.js';
import { filled, type Reader, readArgument, readText, refuse, strictObject } from '../lib/readers.js';
import { isObject } from '../lib/values.js';
import { splitTemplate } from './template.js';

/** A part of a resource: text, or a parameter of the path. */
export type ResourcePart = string | { readonly name: string; readonly takesColons: boolean };

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
 * @throws InvalidArgumentError naming the field, also for a resource with an unknown parameter.
 */
export function readPermission(
  value: unknown,
  names: readonly string[],
  field: string,
): Permission | 'public' | undefined {
  if (value === undefined || value === 'public') return value;
  const { action, resource } = readArgument(value, field, readPermissionFields);
  const parts = splitTemplate(resource).map((text, index): ResourcePart => {
    if (index % 2 === 0) {
      if (!/[{}]/.test(text)) return text;
      throw new InvalidArgumentError(`${field}.resource`, 'holds a brace that is not part of a {name}');
    }
    const name = text.replace(/\*$/, '');
    if (names.includes(name)) return { name, takesColons: name !== text };
    const known = names.length === 0 ? 'the path has none' : `the path has ${names.join(', ')}`;
    throw new InvalidArgumentError(`${field}.resource`, `names a parameter that is unknown; ${known}`);
  });
  return { action, resource, parts: parts.filter((part) => part !== '') };
}

/**
 * Puts values into a resource. Undefined if one is missing, empty, or holds a `:`, with which it would reach other
 * resources, unless the template takes colons (`{name*}`).
 */
export function resourceOf({ parts }: Permission, values: ReadonlyMap<string, string>): string | undefined {
  let resource = '';
  for (const part of parts) {
    const text = typeof part === 'string' ? part : values.get(part.name);
    if (!text || (typeof part === 'object' && !part.takesColons && text.includes(':'))) return undefined;
    resource += text;
  }
  return resource;
}

/** True for a value that may stand in a document: JSON, or what a YAML parser makes. */
export const isDocument = (value: unknown): value is { readonly paths: Record<string, unknown> } =>
  isObject(value) && isObject(value.paths);
