import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createMock } from 'arango-services/mock';
import { listen } from 'arango-services/mock/node';
import { afterAll, expect, test } from 'vitest';

const mock = await createMock();
const platform = await listen(mock);
const folder = await mkdtemp(join(tmpdir(), 'batch-job-'));
afterAll(() => Promise.all([platform.close(), rm(folder, { recursive: true })]));

/** The archive: its parts by their first row. */
const parts = new Map<number, string[]>();
let onPart = () => {};
const rows = () => [...parts.values()].flat();
mock.route('GET', '/_db/shop/archive/imports/:id', () => ({
  status: parts.size === 0 ? 404 : 200,
  body: { rows: rows().length },
}));
mock.route('PUT', '/_db/shop/archive/imports/:id', ({ body }) => ({ body }));
mock.route('PUT', '/_db/shop/archive/imports/:id/:first', ({ params, body }) => {
  const sent = new TextDecoder().decode(body as Uint8Array);
  parts.set(Number(params.first), sent.trimEnd().split('\n'));
  onPart();
  return { status: 204 };
});

const run = (file: string) =>
  spawn(process.execPath, ['src/main.ts', file, '32768'], { env: { ...process.env, ARANGO_URL: platform.url } });

test('a job that was killed goes on behind the rows that arrived, and sends none of them again', async () => {
  const file = join(folder, 'orders.ndjson');
  const lines = Array.from({ length: 20_000 }, (_, row) => JSON.stringify({ id: `order-${row}`, total: row / 2 }));
  await writeFile(file, lines.join('\n'));
  const killed = run(file);
  onPart = () => parts.size === 5 && killed.kill('SIGKILL'); // before the job hears that its fifth part arrived
  expect(await once(killed, 'exit')).toEqual([null, 'SIGKILL']);
  const arrived = rows().length;
  expect(arrived).toBeLessThan(10_000);

  const resumed = run(file);
  mock.fail({ method: 'PUT', status: 503 });
  const [output, progress] = await Promise.all([resumed.stdout, resumed.stderr].map((stream) => text(stream)));
  expect(output).toBe(`${20_000 - arrived} rows sent\n`);
  expect(progress).toMatch(/^\[#{5,}\.+\] \d\d %\n(.+ %\n)+\[#{20}\] 100 %\n$/);
  expect(rows()).toEqual(lines);
  expect(mock.requests.filter(({ status }) => status === 204)).toHaveLength(parts.size);
});
