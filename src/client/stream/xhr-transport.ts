import { withBytes } from '../connection/fetch-transport.js';
import type { Transport, TransportRequest } from '../connection/transport.js';

/** Called with the bytes that were sent, and with all that will be sent. */
export type ReportUploaded = (bytes: number, total: number | undefined) => void;

const hasNoBody: ReadonlySet<number> = new Set([204, 205, 304]);

/** Reads the response's headers. */
function headersOf(xhr: XMLHttpRequest): Headers {
  const headers = new Headers();
  for (const line of xhr.getAllResponseHeaders().split('\r\n')) {
    const at = line.indexOf(':');
    if (at > 0) headers.append(line.slice(0, at), line.slice(at + 1).trim());
  }
  return headers;
}

/** Converts the response. XMLHttpRequest has followed redirects: only the final URL tells of them. */
function responseOf(xhr: XMLHttpRequest, url: string): Response {
  const { status, statusText, responseURL } = xhr;
  const body = hasNoBody.has(status) ? null : (xhr.response as ArrayBuffer);
  const response = new Response(body, { status, statusText, headers: headersOf(xhr) });
  const redirected = responseURL !== '' && responseURL !== new URL(url).href;
  const values = redirected ? { url: responseURL, redirected, status: 0 } : { url };
  for (const [name, value] of Object.entries(values)) Object.defineProperty(response, name, { value });
  return withBytes(response);
}

/** Sends one request; an error of `report` aborts it. */
function send(url: string, request: TransportRequest, report: ReportUploaded): Promise<Response> {
  const { method, headers, body, signal, credentials, onTaken } = request;
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    const end = (settle: () => void): void => {
      signal?.removeEventListener('abort', abort);
      settle();
    };
    const fail = (error: unknown): void => {
      end(() => reject(error));
      xhr.abort();
    };
    const abort = (): void => fail(signal?.reason);
    const onProgress = ({ loaded, total, lengthComputable }: ProgressEvent): void => {
      onTaken?.();
      try {
        report(loaded, lengthComputable ? total : undefined);
      } catch (error) {
        fail(error);
      }
    };
    xhr.upload.onprogress = onProgress;
    xhr.onload = () => {
      try {
        const response = responseOf(xhr, url);
        end(() => resolve(response));
      } catch (error) {
        fail(error);
      }
    };
    // XMLHttpRequest hides the reason, like fetch. An abort has settled the promise before.
    xhr.onerror = () => fail(new TypeError(''));
    xhr.onabort = xhr.onerror;
    xhr.open(method, url);
    xhr.responseType = 'arraybuffer';
    xhr.withCredentials = credentials === 'include';
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    signal?.addEventListener('abort', abort);
    xhr.send(body as XMLHttpRequestBodyInit | undefined);
  });
}

/** Creates a transport over XMLHttpRequest, which tells how much of a body was sent. */
export const xhrTransport = (report: ReportUploaded): Transport => ({
  send: (url, request) => send(url, request, report),
});
