import { isObject } from '../../base/lib/values.js';
import { typesOf } from '../../base/openapi-document/document-parameters.js';
import { variantsOf } from '../../base/openapi-document/reference.js';

/** True for a content type of JSON. */
export const isJson = (type: string): boolean => /^[^;]+[/+]json\s*(?:;|$)/i.test(type);

/** A content type without its parameters, in lower case. */
export const essence = (type: string): string => type.split(';', 1)[0]?.trim().toLowerCase() ?? '';

/** Finds the entry of a `content` for a content type: the type itself, else a range. */
export function mediaOf(content: Record<string, unknown>, type: string): Record<string, unknown> | undefined {
  const wanted = essence(type);
  const range = `${wanted.split('/', 1)[0]}/*`;
  const find = (name: string) => Object.entries(content).find(([key]) => essence(key) === name)?.[1];
  const media = find(wanted) ?? find(range) ?? find('*/*');
  return isObject(media) ? media : undefined;
}

/** True for a schema that some text fits. */
export const isTextSchema = (document: unknown, schema: unknown): boolean =>
  variantsOf(document, schema).some((variant) => typesOf(variant).includes('string'));
