import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import { type ListenOptions, listen, type MockServer } from '../../../../src/mock/adapters/node/index.ts';
import { createMock, type Mock, type MockConfig } from '../../../../src/mock/index.ts';

/** No credentials are asked for. */
export const noLogin: MockConfig = { authentication: { mode: 'None' } };

/** A mock on a free port, until the test ends. */
export async function start(
  options: ListenOptions = {},
  config: MockConfig = noLogin,
): Promise<{ mock: Mock; server: MockServer }> {
  const mock = await createMock(config);
  onTestFinished(() => mock[Symbol.asyncDispose]());
  return { mock, server: await listen(mock, options) };
}

/** What `node:http` makes of an answer; `fetch` would hide parts of it. */
export async function raw(url: string, options: RequestOptions = {}, body?: string | Uint8Array) {
  // A connection of its own, unless an agent is given: what is tested is also when connections end.
  const request = httpRequest(url, { agent: false, ...options });
  request.end(body);
  // The cast: what `response` is emitted with.
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return { status: response.statusCode, headers: response.headers, text };
}

/** Everything that the server writes to a connection that sends `text` and nothing else, until the server closes it. */
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
