import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import { type ListenOptions, listen, type MockServer } from '../../../../src/console/mock/node.ts';
import { createMock, type Mock, type MockConfig } from '../../../../src/mock/index.ts';

/** Requires no credentials. */
export const noLogin: MockConfig = { authentication: { mode: 'None' } };

/** Serves a mock on a free port until the test ends. */
export async function start(
  options: ListenOptions = {},
  config: MockConfig = noLogin,
): Promise<{ mock: Mock; server: MockServer }> {
  const mock = await createMock(config);
  onTestFinished(() => mock[Symbol.asyncDispose]());
  return { mock, server: await listen(mock, options) };
}

/** Sends a request by `node:http`, because `fetch` would hide parts of the answer. */
export async function raw(url: string, options: RequestOptions = {}, body?: string | Uint8Array) {
  // Its own connection unless an agent is given, because tests also check when connections end.
  const request = httpRequest(url, { agent: false, ...options });
  request.end(body);
  // The cast: the arguments of the event `response`.
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode, headers: response.headers, text };
}

/** Returns everything that the server writes to a connection that sends only `text`, until the server closes it. */
export async function exchange(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.setEncoding('latin1').write(text);
  let got = '';
  socket.on('data', (chunk) => {
    got += chunk;
  });
  socket.on('error', () => {});
  await once(socket, 'close');
  return got;
}
