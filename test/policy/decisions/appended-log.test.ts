import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, createWriteStream, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { decisionLog, readDecisions } from '../../../src/policy/decisions/index.js';

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'decisions-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const question = { subject: { user: 'alice' }, action: 'orders:read', effect: 'Allow' } as const;

async function readFile(file: string) {
  const log = readDecisions(createReadStream(file));
  const resources: string[] = [];
  for await (const { decision } of log) resources.push(decision.resource);
  return { resources, summary: log.summary };
}

test('a log by appendFile goes on in a new file after a rotation', async () => {
  const file = join(makeFolder(), 'decisions.jsonl');
  const log = decisionLog({ write: (lines) => appendFile(file, lines) });
  log.record({ ...question, resource: 'orders:1' });
  await log.flush();
  renameSync(file, `${file}.1`);
  log.record({ ...question, resource: 'orders:2' });
  await log.close();
  expect((await readFile(`${file}.1`)).resources).toEqual(['orders:1']);
  expect((await readFile(file)).resources).toEqual(['orders:2']);
});

test('a log by appendFile goes on after failed writes, with a gap', async () => {
  const folder = join(makeFolder(), 'later');
  const errors: unknown[] = [];
  const file = join(folder, 'decisions.jsonl');
  const log = decisionLog({ write: (lines) => appendFile(file, lines), onError: (error) => errors.push(error) });
  log.record({ ...question, resource: 'orders:1' });
  await log.flush();
  expect([errors.length, log.dropped]).toEqual([1, 1]);
  mkdirSync(folder);
  log.record({ ...question, resource: 'orders:2' });
  await log.close();
  const { resources, summary } = await readFile(file);
  expect([resources, summary.dropped, summary.skipped]).toEqual([['orders:2'], 1, []]);
});

test('a stream of createWriteStream takes nothing after its first error', async () => {
  const folder = join(makeFolder(), 'later');
  const file = join(folder, 'decisions.jsonl');
  const log = decisionLog({ stream: createWriteStream(file, { flags: 'a' }) });
  log.record({ ...question, resource: 'orders:1' });
  await log.flush();
  mkdirSync(folder);
  log.record({ ...question, resource: 'orders:2' });
  await log.close();
  expect([log.dropped, existsSync(file)]).toEqual([2, false]);
});

test('two processes append to one file', async () => {
  const file = join(makeFolder(), 'decisions.jsonl');
  const code = `
    import { appendFile } from 'node:fs/promises';
    import { decisionLog } from './dist/decisions/index.js';
    const [file, service] = process.argv.slice(1);
    const log = decisionLog({ write: (lines) => appendFile(file, lines), service });
    for (let i = 0; i < 3000; i++) {
      log.record({ subject: { user: 'alice' }, action: 'orders:read', resource: service + i, effect: 'Allow' });
      if (i % 50 === 0) await log.flush();
    }
    await log.close();`;
  const cwd = fileURLToPath(new URL('../../../', import.meta.url));
  const ended = ['a', 'b'].map(async (service) => {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', code, file, service], { cwd });
    return once(child, 'close');
  });
  expect(await Promise.all(ended)).toEqual([
    [0, null],
    [0, null],
  ]);
  const { resources, summary } = await readFile(file);
  expect([new Set(resources).size, summary.decisions, summary.skipped, summary.dropped]).toEqual([6000, 6000, [], 0]);
});
