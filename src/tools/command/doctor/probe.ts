import { isArangoServicesError } from '../../../base/arango-services-error.js';
import { printable } from '../../../base/lib/text/printable.js';
import { isObject } from '../../../base/lib/values.js';
import type { Client, HeadersSource } from '../../../index.js';

/** The longest wait for one answer, in milliseconds: the questions of a stage are asked at once. */
export const answerMs = 3_000;

/** An answer, or the reason why there is none. */
export interface Probed {
  /** 0 without an answer. */
  readonly status: number;
  /** The body, if it is JSON. */
  readonly body: unknown;
  readonly header: (name: string) => string;
  /** The time of the answer by this machine's clock, in milliseconds since 1970: the middle of the exchange. */
  readonly at: number;
  /** The error, if there is no answer. */
  readonly error?: unknown;
}

/** Asks a path below the deployment's URL. It never rejects, and any status is an answer. */
export async function probe(client: Client, path: string, body?: unknown, headers?: HeadersSource): Promise<Probed> {
  const began = Date.now();
  const options = { allowStatus: 'all', timeout: answerMs, retry: 0, maxBytes: 4_194_304 } as const;
  const request = body === undefined ? { method: 'GET' } : { method: 'POST', body };
  try {
    const answer = await client.absoluteRoute(path, headers).request({ ...request, ...options });
    const at = (began + Date.now()) / 2;
    const header = (name: string) => answer.headers.get(name) ?? '';
    const json = header('content-type').includes('json') ? answer.body : undefined;
    return { status: answer.status, body: json, header, at };
  } catch (error) {
    return { status: 0, body: undefined, header: () => '', at: Date.now(), error };
  }
}

/** A field of a JSON object, if it is text. */
export const textAt = (body: unknown, ...names: readonly string[]): string | undefined => {
  let value = body;
  for (const name of names) value = isObject(value) ? value[name] : undefined;
  return typeof value === 'string' ? value : undefined;
};

/** A name or version of an answer in one short line, whatever its server put there. */
export const shortText = (text: string): string => printable(text.length > 100 ? `${text.slice(0, 100)}…` : text);

/**
 * True for an answer of the platform's services: a success that has the field, or an error with `details`. Other
 * servers may answer every path with JSON, such as `{}`.
 */
export const isOfServices = ({ status, body }: Probed, field: string): boolean =>
  status !== 404 && isObject(body) && (status < 300 ? field in body : Array.isArray(body.details));

/** The message of a failed call. */
export const reasonOf = (error: unknown): string =>
  isArangoServicesError(error) ? error.message : 'failed for an unknown reason';
