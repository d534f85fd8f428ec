import { once } from 'node:events';
import { get } from 'node:http';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Header } from '../../../../src/mock/forward/forwarded-headers.ts';
import type { Captured } from '../../../../src/tools/command/record/captured.ts';
import { RecordingRun } from '../../../../src/tools/command/record/recording-run.ts';
import { makeFolder, play, readFiles, record, serve } from './support.ts';

/** An exchange as the proxy captures it. */
function exchange(path: string, type: string, body: string | Buffer, headers: readonly Header[] = []): Captured {
  const bytes = Buffer.from(body);
  return {
    method: 'GET',
    path,
    query: '',
    request: { headers: [], body: Buffer.alloc(0) },
    response: {
      status: 200,
      headers: [['content-type', type], ...headers],
      body: bytes,
      pieces: [{ afterMs: 0, bytes }],
    },
  };
}

const small = (path: string) => exchange(path, 'application/json', '{"a":1}');

/** A run that is given exchanges, without its proxy. */
async function runOf(now?: () => number) {
  const folder = await makeFolder();
  const run = new RecordingRun(
    {
      ...{ folder, recordings: [], strict: false, prune: false, mostBytes: 100_000_000 },
      ...{ secret: [], volatile: [], keptHeaders: [], keptTypes: [] },
      check: async () => ({ template: undefined, values: new Map(), problems: [] }),
    },
    now,
  );
  return {
    keep(...all: readonly Captured[]) {
      for (const [index, one] of all.entries()) run.listener.kept(one, index);
      // The exchanges are read in microtasks.
      return new Promise(setImmediate);
    },
    async write() {
      const { warnings } = await run.write();
      const paths = Object.values(await readFiles(folder)).map((text) => JSON.parse(text).path as string);
      return { warnings, paths: paths.sort() };
    },
  };
}

test('an exchange that takes longer than 2 s of CPU time to read is listed, and the others are written', async () => {
  let [time, step] = [0, 100];
  const run = await runOf(() => {
    time += step;
    return time;
  });
  const slow = JSON.stringify(Array.from({ length: 40 }, (_, index) => `text ${index}`));
  await run.keep(small('/a'), exchange('/slow', 'application/json', slow), small('/b'));
  step = 0;
  expect(await run.write()).toEqual({
    warnings: ['GET /slow is not kept: it takes longer than 2 s of CPU time to read'],
    paths: ['/a', '/b'],
  });
});

test('exchanges for which the 4 s of CPU time of the end are too short are listed, and those before them are written', async () => {
  let [time, step] = [0, 0];
  const run = await runOf(() => {
    time += step;
    return time;
  });
  const texts = JSON.stringify(Array.from({ length: 14 }, (_, index) => `text ${index}`));
  await run.keep(...['/a', '/b', '/c'].map((path) => exchange(path, 'application/json', texts)));
  step = 100;
  const { warnings, paths } = await run.write();
  expect(paths).toEqual(['/a']);
  expect(warnings).toEqual(
    ['/b', '/c'].map((path) => `GET ${path} is not kept: the end of a run takes at most 4 s of CPU time`),
  );
});

test('a machine that is busy with other processes costs no exchange', async () => {
  let time = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    time += 10_000;
    return time;
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const run = await runOf();
  await run.keep(small('/a'), small('/b'));
  expect(await run.write()).toEqual({ warnings: [], paths: ['/a', '/b'] });
});

test('an exchange beyond the memory of a run is listed, and smaller ones after it are written', async () => {
  const run = await runOf();
  const large = Buffer.alloc(100_000_000);
  const of = (path: string) => exchange(path, 'application/octet-stream', large);
  await run.keep(small('/a'), of('/1'), of('/2'), of('/3'), small('/b'));
  const { warnings, paths } = await run.write();
  expect(warnings[0]).toBe('GET /3 is not kept: the bodies of a run have at most 268435456 bytes');
  expect(paths).toEqual(expect.arrayContaining(['/a', '/b']));
});

test('an exchange with too many secrets is listed, and others with secrets are written', async () => {
  const run = await runOf();
  const secrets = (count: number) =>
    JSON.stringify({ token: Array.from({ length: count }, (_, index) => `secret number ${index} of ${count}`) });
  const of = (path: string, count: number) => exchange(path, 'application/json', secrets(count));
  await run.keep(small('/a'), of('/many', 60_000), of('/few', 10), small('/b'));
  const { warnings, paths } = await run.write();
  expect(warnings).toEqual([
    expect.stringMatching(/^GET \/many is not kept: it has more secrets than a run searches for/),
  ]);
  expect(paths).toEqual(['/a', '/b', '/few']);
});

const million = 1_000_000;
const many = <T>(length: number, of: (index: number) => T): T[] => Array.from({ length }, (_, index) => of(index));
const tooLong = 'it takes longer than 2 s of CPU time to read';
const hostile: readonly (readonly [path: string, body: string, reason: string | undefined, type: string])[] = [
  ['/references', '<token:1> <uuid:2>'.repeat(65_500), undefined, 'text/plain'],
  ['/json-references', JSON.stringify(many(131_000, () => '<token:1>')), undefined, 'application/json'],
  ['/line', 'password=a b&'.repeat(million), tooLong, 'text/plain'],
  ['/word', 'aB3/'.repeat(2.5 * million), tooLong, 'text/plain'],
  ['/json-line', `${JSON.stringify({ a: 'x y '.repeat(2.5 * million) })}\n`, tooLong, 'application/x-ndjson'],
  ['/event', `data: ${'x y '.repeat(2.5 * million)}\n\n`, tooLong, 'text/event-stream'],
  ['/percent', `a=${'%25'.repeat(5 * million)}`, tooLong, 'application/x-www-form-urlencoded'],
];

// The clock stands, so that the length of a text alone decides.
test.each(hostile)('%s does not cost the run', async (path, body, reason, type) => {
  const run = await runOf(() => 0);
  await run.keep(small('/a'), exchange(path, type, body), small('/b'));
  const { warnings, paths } = await run.write();
  expect(warnings).toEqual(reason === undefined ? [] : [`GET ${path} is not kept: ${reason}`]);
  expect(paths).toEqual(['/a', '/b', ...(reason === undefined ? [path] : [])]);
});

test.each([
  ['other names', (index: number): Header => [`x-${index}`, 'value']],
  ['cookies', (index: number): Header => ['set-cookie', `c${index}=v`]],
  ['links', (): Header => ['link', '</a?token=b>; rel=next']],
])('60 000 headers of %s are read one by one, and do not cost the run', async (_, header) => {
  const run = await runOf(() => 0);
  await run.keep(small('/a'), exchange('/many', 'text/plain', 'ok', many(60_000, header)), small('/b'));
  expect(await run.write()).toMatchObject({ paths: ['/a', '/b', '/many'] });
});

test('more headers than Node reads are a 502, which is listed', async () => {
  const service = await serve((request, response) => {
    if (request.url === '/ok') return response.end('ok');
    return response.writeHead(200, many(60_000, (index) => [`x-${index}`, 'v']).flat()).end();
  });
  const folder = await makeFolder();
  const running = await record(service, folder);
  expect((await fetch(`${running.url}/many`)).status).toBe(502);
  await (await fetch(`${running.url}/ok`)).text();
  const listed = 'GET /many is not kept: the service does not answer in HTTP/1.1 (HPE_HEADER_OVERFLOW)';
  expect((await running.stop()).err).toContain(listed);
  expect(Object.keys(await readFiles(folder))).toEqual(['0001-get-ok.json']);
});

test.each(['gzip', 'br', 'unheard-of'])('HEAD, 204 and 304 with Content-Encoding: %s are kept', async (encoding) => {
  const service = await serve((request, response) => {
    const headers = { 'content-type': 'text/plain', 'content-encoding': encoding };
    response.writeHead(Number(request.url?.slice(1)), headers).end();
  });
  const folder = await makeFolder();
  const running = await record(service, folder);
  const asked = [['200', { method: 'HEAD' }], ['204'], ['304']] as const;
  for (const [status, init] of asked) await fetch(`${running.url}/${status}`, init);
  expect(await running.stop()).toMatchObject({ code: 0, err: '' });
  const { ask, played } = await play(folder);
  for (const [status, init] of asked) expect((await ask(`/${status}`, init)).status).toBe(Number(status));
  expect(played.unplayed).toEqual([]);
});

const brotli = (body: Buffer) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
const undone = 'the Content-Encoding of a body cannot be undone';
const tooLarge = 'a body has more than 1048576 bytes (--max-body)';

test.each([
  ['gzip with trailing bytes', 'gzip', Buffer.concat([gzipSync('plain'), Buffer.from('trailing')]), undone],
  ['gzip and a half', 'gzip', Buffer.concat([gzipSync('plain'), gzipSync('more').subarray(0, 12)]), undone],
  ['a brotli bomb', 'br', brotli(Buffer.alloc(200 * million)), tooLarge],
  ['a bomb in a bomb', 'br, br', brotli(brotli(Buffer.alloc(200 * million))), tooLarge],
  ['a gzip bomb', 'gzip', gzipSync(Buffer.alloc(50 * million), { level: 1 }), tooLarge],
  ['brotli without its end', 'br', brotli(Buffer.from('plain text')).subarray(0, 6), undone],
])('%s is passed on and listed, and the others are written', async (_, encoding, body, reason) => {
  const service = await serve((request, response) => {
    if (request.url === '/ok') return response.end('ok');
    return response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': encoding }).end(body);
  });
  const folder = await makeFolder();
  const running = await record(service, folder);
  const [incoming] = await once(get(`${running.url}/odd`), 'response');
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  expect(Buffer.concat(chunks).equals(body)).toBe(true);
  await (await fetch(`${running.url}/ok`)).text();
  expect((await running.stop()).err).toBe(`arango-services: GET /odd is not kept: ${reason}\n`);
  expect(Object.keys(await readFiles(folder))).toEqual(['0001-get-ok.json']);
});
