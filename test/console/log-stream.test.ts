import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import type { ConsoleApi } from '../../src/console/api.js';
import { ConsoleError } from '../../src/console/console-error.js';
import { createMockConsole } from '../../src/console/mock/mock-api.js';
import { connect } from '../../src/console/page/http-api.js';
import { serveConsole } from '../../src/console/server/serve.js';
import { createMock } from '../../src/mock/index.js';
import { readDecisions } from '../../src/policy/decisions/index.js';
import { beginSession, pageHeaders, readChunks, sendRaw } from './support/browser.js';
import { evaluatePath, shop } from './support/shop.js';

afterEach(() => vi.unstubAllGlobals());

/** A console with a log, served behind its key, and the page's own client of it. */
async function serveLog(log: ConsoleApi['log']) {
  const mock = await createMock(shop);
  const served = await serveConsole({ ...createMockConsole(mock), log }, 0);
  onTestFinished(async () => {
    await served.close();
    await mock[Symbol.asyncDispose]();
  });
  const port = Number(new URL(served.url).port);
  const { cookie } = await beginSession(port, served.key);
  const own = globalThis.fetch;
  const { host: _host, ...headers } = pageHeaders(port);
  vi.stubGlobal('fetch', (input: string, init: RequestInit) =>
    own(input, { ...init, headers: { ...headers, cookie, ...Object.fromEntries(new Headers(init.headers)) } }),
  );
  return { port, key: served.key, cookie, api: await connect(served.url).open() };
}

const bytes = (length: number, fill: number) => new Uint8Array(length).fill(fill);

test('a page gets the bytes of the log behind the key and its token, and no one else does', async () => {
  let reads = 0;
  const { port, key, cookie, api } = await serveLog(async function* () {
    reads += 1;
    for (let i = 0; i < 40; i += 1) yield bytes(65_536, i);
  });
  const { token } = await beginSession(port, key);
  const call = (headers: object) =>
    sendRaw(port, {
      method: 'POST',
      path: '/_console/api/log',
      headers: { ...pageHeaders(port), ...headers },
      body: '{}',
    });
  expect((await call({ 'x-console-token': token })).status).toBe(401);
  expect((await call({ cookie })).status).toBe(401);
  expect(reads).toBe(0);
  const chunks = await readChunks(api.log(new AbortController().signal));
  const all = Buffer.concat(chunks);
  expect([reads, all.length, all[0], all.at(-1)]).toEqual([1, 40 * 65_536, 0, 39]);
});

test('leaving the log closes it on the server', async () => {
  let closed = 0;
  const { api } = await serveLog(async function* () {
    try {
      for (;;) yield bytes(65_536, 1);
    } finally {
      closed += 1;
    }
  });
  for await (const chunk of api.log(new AbortController().signal)) {
    expect(chunk.length).toBeGreaterThan(0);
    break;
  }
  await expect.poll(() => closed).toBe(1);
  const stop = new AbortController();
  const reading = readChunks(api.log(stop.signal));
  stop.abort();
  await expect(reading).rejects.toThrow();
});

test('a page may read the log forty times, one after the other', async () => {
  const { api } = await serveLog(async function* () {
    yield bytes(1, 1);
  });
  for (let turn = 0; turn < 40; turn += 1) {
    expect(await readChunks(api.log(new AbortController().signal))).toHaveLength(1);
  }
});

// biome-ignore lint/correctness/useYield: it fails before the first chunk
const failing = async function* () {
  throw new ConsoleError('failed', '--log: there is no such file');
};

test('a log that cannot be opened is an answer in words', async () => {
  const { api } = await serveLog(failing);
  for (let turn = 0; turn < 40; turn += 1) {
    await expect(readChunks(api.log(new AbortController().signal))).rejects.toMatchObject({
      code: 'failed',
      message: '--log: there is no such file',
    });
  }
});

test('a log that breaks off fails on the page', async () => {
  const { api } = await serveLog(async function* () {
    yield bytes(10, 1);
    throw new Error('canary-of-the-disk');
  });
  const reading = readChunks(api.log(new AbortController().signal));
  await expect(reading).rejects.toThrow(/^(?!.*canary)/s);
});

test('a mock reads permissions files as text only', async () => {
  const mock = await createMock(shop);
  onTestFinished(() => mock[Symbol.asyncDispose]());
  const api = createMockConsole(mock);
  const text = JSON.stringify({ policies: { reader: { statements: [] } } });
  const { state } = await api.fileState({ text });
  expect(state?.policies.find(({ name }) => name === 'reader')?.policy.statements).toEqual([]);
  await expect(api.fileState({})).rejects.toMatchObject({ code: 'unsupported', field: 'text' });
});

test.each(['documented', 'sidecar'] as const)(
  'the log of a permissive mock has the answer as enforced: a Deny as documented, an Allow of the sidecar (%s)',
  async (fidelity) => {
    const mock = await createMock({ fidelity, authorization: { type: 'central-permissive' } });
    onTestFinished(() => mock[Symbol.asyncDispose]());
    const body = JSON.stringify({ user: 'alice', action: 'orders:read', resource: 'order:7' });
    await mock.fetch(`${mock.connection.url}${evaluatePath}`, { method: 'POST', body });
    const found: object[] = [];
    for await (const { decision } of readDecisions(createMockConsole(mock).log(new AbortController().signal))) {
      found.push([decision.effect, decision.enforced]);
    }
    expect(found).toEqual([[fidelity === 'documented' ? 'Deny' : 'Allow', true]]);
  },
);

test('a mock without a log of requests has no log of decisions', async () => {
  await using mock = await createMock({ limits: { log: 0 } });
  expect((await createMockConsole(mock).overview()).log).toBeNull();
});
