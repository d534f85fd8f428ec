import { request } from 'node:http';
import { expect, test, vi } from 'vitest';
import { createPdp, type Pdp, toNodeListener } from '../../../src/enforce/authzen/index.ts';
import { serveRaw } from '../../support/server.ts';
import { createLibrary } from './support/library.ts';

const question = {
  subject: { type: 'user', id: 'ann' },
  action: { name: 'read' },
  resource: { type: 'book', id: '7' },
};
const headers = { 'content-type': 'application/json' };
const open = () => createPdp(createLibrary(), { url: 'http://localhost', authenticate: 'none' });
const ok: Pdp = async () => new Response('ok');

/** Sends a request as it is, and returns the status. */
const statusOf = (url: string, options: object, body?: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const sent = request(url, options, (response) => resolve(response.resume().statusCode));
    sent.on('error', reject).end(body);
  });

test('a request that the Fetch API cannot represent is a 400', async () => {
  const { url } = await serveRaw(toNodeListener(ok));
  expect(await statusOf(url, { method: 'TRACE' })).toBe(400);
});

test.each(['x/access/v1/evaluation?', 'x/access/v1/evaluation#', 'x?', 'a@x'])(
  'the host %s cannot change the path: 400',
  async (host) => {
    const { url } = await serveRaw(toNodeListener(open()));
    const options = { method: 'POST', path: '/public', headers: { ...headers, host } };
    expect(await statusOf(url, options, JSON.stringify(question))).toBe(400);
  },
);

test('a handler that rejects is a 500', async () => {
  const { url } = await serveRaw(toNodeListener(() => Promise.reject(new Error('a defect'))));
  expect(await statusOf(url, {})).toBe(500);
});

test('an answer that the framework has already sent is kept, without an unhandled rejection', async () => {
  const rejected = vi.fn();
  process.on('unhandledRejection', rejected);
  let release = () => {};
  const handler: Pdp = async () => {
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    return new Response('late');
  };
  const { url } = await serveRaw((incoming, outgoing) => {
    toNodeListener(handler)(incoming, outgoing);
    outgoing.writeHead(503).end();
  });
  expect(await statusOf(url, {})).toBe(503);
  release();
  await new Promise((resolve) => setTimeout(resolve, 20));
  process.off('unhandledRejection', rejected);
  expect(rejected).not.toHaveBeenCalled();
});

test('a body that a parser has already read is a 500, and does not hang', async () => {
  const { url } = await serveRaw((incoming, outgoing) => {
    incoming.resume().on('end', () => toNodeListener(open())(incoming, outgoing));
  });
  const options = { method: 'POST', path: '/access/v1/evaluation', headers };
  expect(await statusOf(url, options, JSON.stringify(question))).toBe(500);
});

test('a request without `body`, as those of Firefox are, is read', async () => {
  const init = { method: 'POST', headers, body: JSON.stringify(question) };
  const request = new Request('http://localhost/access/v1/evaluation', init);
  const answer = await open()(Object.defineProperty(request, 'body', { value: undefined }));
  expect(await answer.json()).toEqual({ decision: true });
});

test('a body in many small chunks is read whole', async () => {
  const bytes = new TextEncoder().encode(JSON.stringify({ ...question, pad: 'x'.repeat(5_000) }));
  const body = new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  const init = { method: 'POST', headers, body, duplex: 'half' };
  const answer = await open()(new Request('http://localhost/access/v1/evaluation', init));
  expect(await answer.json()).toEqual({ decision: true });
});
