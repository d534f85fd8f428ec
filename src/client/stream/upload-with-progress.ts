import { InvalidArgumentError, UploadError } from '../../base/errors.js';
import {
  asGiven,
  expected,
  oneOf,
  optional,
  type Reader,
  type ReadersOf,
  readArgument,
  readFields,
  readFunction,
  strictObject,
  withMethods,
} from '../../base/lib/readers.js';
import { hasMethod } from '../../base/lib/values.js';
import { childController } from '../../base/lib/wait.js';
import { watchUpload } from '../connection/stream.js';
import type { Transport, TransportRequest } from '../connection/transport.js';
import type { Route } from '../route.js';
import type { AllowedResponse } from '../route-types.js';
import { progress } from './progress.js';
import { xhrTransport } from './xhr-transport.js';

/** The progress of an upload. */
export interface UploadProgress {
  /** The bytes sent so far in this attempt. A form has some bytes more than its files. */
  readonly bytes: number;
  /** All bytes of the body; undefined for a form outside of browsers, except one with files in Node. */
  readonly total: number | undefined;
}

/** A body whose upload can be followed in every runtime, a `File` among them. */
export type UploadBody = Blob | ArrayBuffer | ArrayBufferView | FormData;

/** Options of {@link uploadWithProgress}. */
export interface UploadOptions {
  /** Called as bytes are sent, from 0 again in a repeated attempt. If it throws or rejects, the upload fails. */
  readonly onProgress: (progress: UploadProgress) => unknown;
  /** Default `POST`. */
  readonly method?: 'POST' | 'PUT' | 'PATCH' | undefined;
  /** The query, as in `route.request`. */
  readonly qs?: string | Readonly<Record<string, unknown>> | undefined;
}

type Report = (progress: UploadProgress) => unknown;

const readRoute = withMethods<Route>('a route of this package', 'request', 'over');
export const readUploadOptions = strictObject({
  onProgress: readFunction as Reader<UploadOptions['onProgress']>,
  method: optional(oneOf('POST', 'PUT', 'PATCH'), 'POST' as const),
  qs: asGiven,
} satisfies ReadersOf<UploadOptions>);

const isForm = (body: unknown): boolean => hasMethod(body, 'getAll') && !hasMethod(body, 'sort');
const readBody: Reader<UploadBody> = (value) => {
  const isBlob = hasMethod(value, 'arrayBuffer') && hasMethod(value, 'slice');
  if (isBlob || isForm(value) || value instanceof ArrayBuffer || ArrayBuffer.isView(value)) return value as UploadBody;
  throw expected('body', 'a Blob, a File, bytes or a form; for a stream use progress()', value);
};

/** Names the call in the error of a callback, or of a body that cannot be read. */
const uploadError = (url: string, { method }: TransportRequest, cause: unknown): UploadError => {
  const { pathname: path, origin } = new URL(url);
  return new UploadError({ method, path, origin }, cause);
};

/** Sends bodies as streams over the client's own transport. */
function streamTransport(own: Transport, report: Report): Transport {
  return {
    async send(url, request) {
      // The cast: `readBody` accepted it, and the connection copied it.
      const body = request.body as UploadBody;
      // The runtime writes the form and its type, which Bun forgets once the body was asked for.
      const form = isForm(body) ? new Response(body as FormData) : undefined;
      const { size, byteLength: total = size, type } = body as Partial<Blob & ArrayBuffer>;
      const contentType = form?.headers.get('content-type') || type;
      const source = (form?.body ?? body) as Blob | ReadableStream<Uint8Array>;
      const headers = { ...(contentType && { 'content-type': contentType }), ...request.headers };
      const counted = progress(source, ({ bytes }) => report({ bytes, total }) as undefined);
      const { body: stream, failures } = watchUpload(counted);
      try {
        return await own.send(url, { ...request, headers, body: stream, duplex: 'half' });
      } catch (error) {
        // A transport hides the reason for which a body failed.
        throw failures.length > 0 ? uploadError(url, request, failures[0]) : error;
      }
    },
  };
}

/** The bytes of a body; those of the values of a form, which is framed later. */
function sizeOf(body: UploadBody): number {
  if (isForm(body)) return [...(body as FormData).values()].reduce((sum, value) => sum + new Blob([value]).size, 0);
  const { size = 0, byteLength = size } = body as Partial<Blob & ArrayBuffer>;
  return byteLength;
}

/** Sends bodies as `make` does. Reports the whole size when the answer arrives, unless it was reported before. */
function reportingEnd(make: (report: Report) => Transport, report: Report): Transport {
  return {
    async send(url, request) {
      let last: UploadProgress | undefined;
      const transport = make((progress) => {
        last = progress;
        return report(progress);
      });
      const response = await transport.send(url, request);
      // The cast: `readBody` accepted it.
      const total = last?.total ?? sizeOf(request.body as UploadBody);
      if (last?.bytes !== total) report({ bytes: total, total });
      return response;
    },
  };
}

/** Fails a request as soon as the caller's callback does. */
function withCallback(onProgress: UploadOptions['onProgress'], make: (report: Report) => Transport): Transport {
  return {
    async send(url, request) {
      // The child is not disposed of: a response that is a stream still ends with the call.
      const child = childController(...(request.signal ? [request.signal] : []));
      let fail = (_error: unknown): void => undefined;
      const failed = new Promise<never>((_, reject) => {
        fail = (error) => {
          reject(uploadError(url, request, error));
          child.abort();
        };
      });
      const report = (progress: UploadProgress): unknown => {
        try {
          const returned = onProgress(progress);
          Promise.resolve(returned).catch(fail);
          return returned;
        } catch (error) {
          fail(error);
          throw error;
        }
      };
      failed.catch(() => undefined);
      return Promise.race([failed, make(report).send(url, { ...request, signal: child.signal })]);
    },
  };
}

/** True in a page or a worker of a browser, where a stream can be sent over HTTP/2 only, or not at all. */
const isBrowser = (): boolean => 'XMLHttpRequest' in globalThis || 'ServiceWorkerGlobalScope' in globalThis;

/** Chooses how to send: over XMLHttpRequest in a page, as a stream elsewhere. */
function chooseTransport(own: Transport, isCustom: boolean, report: Report): Transport {
  if (!isBrowser()) return streamTransport(own, report);
  const isWhole = isCustom || !('XMLHttpRequest' in globalThis);
  return reportingEnd((emit) => (isWhole ? own : xhrTransport((bytes, total) => emit({ bytes, total }))), report);
}

/**
 * Sends a Blob, a File, bytes or a form, and tells how much of it was sent. In browsers it uses XMLHttpRequest, because
 * most of them cannot send a stream; elsewhere it sends a stream that it counts. In a browser with a `fetch`, `ky` or
 * `transport` of the caller, in a service worker and in happy-dom, it tells only the end, when the answer arrives.
 * Deadline, abort, credentials, retries and errors are those of any call of the route.
 *
 * XMLHttpRequest follows redirects: the call rejects with a RedirectError (status 0), but the body may have been sent
 * on.
 * @param path relative to the route.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the argument; UploadError (code `UPLOAD`) if
 * `onProgress` throws; any error of a call.
 * @example
 * ```ts
 * import { uploadWithProgress } from 'arango-services/stream';
 *
 * const file = new Blob(['a large file']);
 * await uploadWithProgress(orders, 'report', file, {
 *   method: 'PUT',
 *   onProgress: ({ bytes, total }) => console.log(bytes, total),
 * });
 * ```
 */
export async function uploadWithProgress<T = unknown, Allows extends boolean = false>(
  route: Pick<Route<T, Allows>, 'request'>,
  path: string | readonly (string | number | bigint)[],
  body: UploadBody,
  options: UploadOptions,
): Promise<AllowedResponse<T, Allows>> {
  const { onProgress, method, qs } = readFields(options, 'options', readUploadOptions);
  const content = readArgument(body, 'body', readBody);
  const over = (own: Transport, isCustom: boolean): Transport =>
    withCallback(onProgress, (report) => chooseTransport(own, isCustom, report));
  const counted = readArgument(route, 'route', readRoute).over(over);
  if (!counted) throw new InvalidArgumentError('route', 'expected a route of a Connection');
  // The casts: the route checks path and query, and its schema makes the type of the answer.
  return counted.request({ method, path, body: content, qs } as never) as Promise<never>;
}
