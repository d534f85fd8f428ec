import { request } from 'node:http';
import { type ClientHttp2Session, connect } from 'node:http2';

/** A raw request: header names and values as they are given. */
export interface RawRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Uint8Array;
}

/** A raw answer. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Sends a request over HTTP/1.1 as it is, without what `fetch` would set or forbid. */
export function sendRaw(port: number, { method = 'GET', path, headers = {}, body }: RawRequest): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, method, path, headers, setHost: !('host' in headers) },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        answer.once('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
        answer.once('error', reject);
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

/** Sends a request over HTTP/2. */
export async function sendHttp2(
  port: number,
  { method = 'GET', path, headers = {}, body }: RawRequest,
): Promise<RawAnswer> {
  const session: ClientHttp2Session = connect(`http://127.0.0.1:${port}`);
  try {
    return await new Promise((resolve, reject) => {
      session.once('error', reject);
      const stream = session.request(
        { ':method': method, ':path': path, ...headers },
        { endStream: body === undefined },
      );
      let [status, text, fields] = [0, '', {}];
      stream.once('response', (answer) => {
        status = answer[':status'] ?? 0;
        fields = answer;
      });
      stream.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      stream.once('error', reject);
      stream.once('end', () => resolve({ status, headers: fields, text }));
      if (body !== undefined) stream.end(body);
    });
  } finally {
    session.close();
  }
}

/** The headers that a browser sends with a call of the page at this port. */
export const pageHeaders = (port: number): Readonly<Record<string, string>> => ({
  host: `127.0.0.1:${port}`,
  origin: `http://127.0.0.1:${port}`,
  'sec-fetch-site': 'same-origin',
  'content-type': 'application/json',
});

/** Begins a session as the page does. */
export async function beginSession(
  port: number,
  key?: string,
): Promise<{ readonly token: string; readonly cookie: string }> {
  const body = JSON.stringify(key === undefined ? {} : { key });
  const { status, headers, text } = await sendRaw(port, {
    method: 'POST',
    path: '/_console/session',
    headers: pageHeaders(port),
    body,
  });
  if (status !== 200) throw new Error(`no session: ${status} ${text}`);
  const [cookie = ''] = [headers['set-cookie'] ?? []].flat();
  return { token: JSON.parse(text).value.token, cookie: cookie.split(';', 1)[0] ?? '' };
}

/** Reads all chunks of a log. */
export async function readChunks(log: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of log) chunks.push(chunk);
  return chunks;
}
