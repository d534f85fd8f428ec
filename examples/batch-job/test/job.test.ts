import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createMock } from 'arango-services/mock';
import { listen } from 'arango-services/mock/node';
import { afterAll, expect, test } from 'vitest';

/** The rows of the file. `ROWS=7500000` writes 300 MB. */
const rowCount = Number(process.env.ROWS ?? 20_000);
const lineOf = (row: number) => JSON.stringify({ id: `order-${row}`, total: row / 2 });
const partSize = rowCount > 1_000_000 ? 2 ** 20 : 2 ** 15;

const mock = await createMock();
const platform = await listen(mock);
const folder = await mkdtemp(join(tmpdir(), 'batch-job-'));
afterAll(() => Promise.all([platform.close(), rm(folder, { recursive: true })]));

/** The archive: the number of rows of each part, by its first row. */
const parts = new Map<number, number>();
const stored = () => [...parts.values()].reduce((sum, rows) => sum + rows, 0);
/** The first rows of the parts that do not go on behind the stored rows, or have others than the file. */
const wrong: number[] = [];
let onPart = () => {};
mock.route('GET', '/_db/shop/archive/imports/:id', () => ({
  status: parts.size === 0 ? 404 : 200,
  body: { rows: stored() },
}));
mock.route('PUT', '/_db/shop/archive/imports/:id', ({ body }) => ({ body }));
mock.route('PUT', '/_db/shop/archive/imports/:id/:first', ({ params, body }) => {
  const first = Number(params.first);
  const lines = new TextDecoder().decode(body as Uint8Array).split('\n');
  if (first !== stored() || lines.pop() !== '' || lines.some((line, i) => line !== lineOf(first + i)))
    wrong.push(first);
  parts.set(first, lines.length);
  onPart();
  return { status: 204 };
});

/** Starts the job with a heap that does not hold a large file. */
const run = (file: string) =>
  spawn(process.execPath, ['--max-old-space-size=64', 'src/main.ts', file, String(partSize)], {
    env: { ...process.env, ARANGO_URL: platform.url },
  });

test(
  'a job that was killed goes on behind the rows that arrived, and sends none of them again',
  async () => {
    const file = join(folder, 'orders.ndjson');
    await writeFile(
      file,
      (function* () {
        for (let row = 0; row < rowCount; row += 1) yield row === 0 ? lineOf(row) : `\n${lineOf(row)}`; // no line break at the end
      })(),
    );
    const quarter = Math.floor((await stat(file)).size / partSize / 4);
    const killed = run(file);
    onPart = () => parts.size === quarter && killed.kill('SIGKILL'); // before the job hears that this part arrived
    expect(await once(killed, 'exit')).toEqual([null, 'SIGKILL']);
    const arrived = stored();
    expect(arrived).toBeLessThan(rowCount / 2);

    const resumed = run(file);
    mock.fail({ method: 'PUT', status: 503 });
    const [output, progress] = await Promise.all([resumed.stdout, resumed.stderr].map((stream) => text(stream)));
    expect(output).toBe(`${rowCount - arrived} rows sent\n`);
    expect(progress).toMatch(/^\[#{5,}\.+\] \d\d %\n(.+ %\n)+\[#{20}\] 100 %\n$/);
    expect([stored(), wrong]).toEqual([rowCount, []]);
  },
  60_000 + rowCount / 20,
);
