import { isPlainObject } from '../../lib/values.js';
import type { Exchange } from '../wire/exchange.js';

// Estimates memory in bytes, for the limit of the request log. Strings count two bytes per UTF-16 unit.

const perObject = 64;
const perField = 16;

const textBytes = (text: string): number => perField + 2 * text.length;

/**
 * Estimates a value without cycles: strings, arrays and plain objects with their content, anything else as one object.
 */
export function estimateBytes(value: unknown): number {
  if (typeof value === 'string') return textBytes(value);
  if (typeof value !== 'object' || value === null) return perField;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + perField + estimateBytes(item), perObject);
  if (!isPlainObject(value)) return perObject;
  let bytes = perObject;
  for (const [name, item] of Object.entries(value)) bytes += textBytes(name) + estimateBytes(item);
  return bytes;
}

/** Estimates an answered request, with its headers and, if still kept, its body. */
export function estimateExchange({ request, decisions }: Exchange): number {
  const { path, query, headers, body } = request;
  let bytes = 8 * perObject + textBytes(path) + textBytes(query);
  for (const [name, value] of headers.entries()) bytes += textBytes(name) + textBytes(value);
  for (const { action, resource } of decisions) bytes += perObject + textBytes(action) + textBytes(resource);
  return bytes + (typeof body === 'string' ? textBytes(body) : (body?.byteLength ?? 0));
}
