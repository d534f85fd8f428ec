import { Buffer } from 'node:buffer';
import { stableJson } from '../../../../lib/stable-json.js';
import type { ServiceRequest } from '../../../kit/hosted/types.js';
import type { RecordedBody, Recording } from './recording.js';

/** The parts of a request besides method and path that must equal the recording's. */
export type MatchedPart = 'query' | 'body';

/** A request in the form that recordings are compared with. */
export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string;
}

/** Parameters in order of their names; repeated ones keep theirs. */
function sortQuery(query: URLSearchParams): string {
  const sorted = new URLSearchParams(query);
  sorted.sort();
  return sorted.toString();
}

/** Equal bodies have equal keys; text that holds JSON is compared as JSON, as the mock reads requests. */
function bodyKey(body: unknown): string {
  if (body === undefined) return '';
  if (ArrayBuffer.isView(body))
    return `bytes ${Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('base64')}`;
  return `value ${stableJson(body)}`;
}

function recordedBody({ json, text, base64 }: RecordedBody): unknown {
  if (json !== undefined) return json;
  const bytes = base64 === undefined ? Buffer.from(text ?? '') : Buffer.from(base64, 'base64');
  if (bytes.length === 0) return undefined;
  try {
    const decoded = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    try {
      return JSON.parse(decoded);
    } catch {
      return decoded;
    }
  } catch {
    return bytes;
  }
}

/** Reads a request of a service for comparisons. */
export const askedOf = ({ request, body }: ServiceRequest): Asked => ({
  method: request.method,
  path: request.path,
  query: sortQuery(request.query),
  body: bodyKey(body),
});

/** The request of a recording in the same form. */
export const recordedRequest = ({ method, path, query, request }: Recording): Asked => ({
  method,
  path,
  query: sortQuery(new URLSearchParams(query)),
  body: bodyKey(recordedBody(request)),
});

/** The names of the parts that differ, in the order of a request line. */
export const differingParts = (asked: Asked, recorded: Asked, parts: readonly MatchedPart[]): string[] =>
  (['method', 'path', ...parts] as const).filter((part) => asked[part] !== recorded[part]);
