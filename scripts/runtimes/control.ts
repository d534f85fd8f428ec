import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { listen } from 'arango-services/mock/node';
import { control, startMock } from '../../test/runtimes/platform.ts';

/** A mock on a port, with a control server: a program in another runtime requests faults from it and reports to it. */
export interface Control extends AsyncDisposable {
  readonly url: string;
  /** A page's report. */
  readonly report: Promise<unknown>;
}

const page =
  '<!doctype html><meta charset="utf-8"><title>runtimes</title><script type="module" src="/program.js"></script>';

type Answer = (path: string, request: IncomingMessage) => Promise<{ type: string; body: string }>;

async function open(answer: Answer): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').replace(/\?.*/, '');
    answer(path, request).then(
      ({ type, body }) => response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(body),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The cast: a server that listens on a port has an address of this kind.
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Starts both servers. `program` is the code of the page. */
export async function startControl(program = ''): Promise<Control> {
  const mock = await startMock();
  const { token, ...actions } = await control(mock);
  let reported: (report: unknown) => void = () => {};
  const report = new Promise<unknown>((resolve) => {
    reported = resolve;
  });
  const { server, url } = await open(async (path, request) => {
    if (path === '/') return { type: 'text/html', body: page };
    if (path === '/program.js') return { type: 'text/javascript', body: program };
    const name = /^\/control\/(\w+)$/.exec(path)?.[1];
    if (name === undefined) throw new Error(`unknown path ${path}`);
    const value: unknown = JSON.parse(await text(request));
    if (name === 'report') reported(value);
    const found = name === 'start' ? { url: port.url, token } : await act(name, value);
    return { type: 'application/json', body: JSON.stringify(found ?? null) };
  });
  const port = await listen(mock, { cors: [url] });
  const act = async (name: string, value: unknown): Promise<unknown> => {
    // The casts: our own program sends what the actions take.
    if (name === 'fail') return actions.fail(value as Parameters<typeof actions.fail>[0]);
    if (name === 'advance') return actions.advance(value as string);
    if (name === 'requests') return actions.requests();
    if (name === 'restore') return actions.restore();
    return undefined;
  };
  return {
    url,
    report,
    async [Symbol.asyncDispose]() {
      await mock[Symbol.asyncDispose]();
      server.closeAllConnections();
      server.close();
    },
  };
}
