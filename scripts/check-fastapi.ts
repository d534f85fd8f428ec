// Calls a real FastAPI service on a port with `typed`: 40 calls, and 10 000 random parameters that must arrive as they
// were sent. Sends random spellings to another one, whose values no two resources may share. Missing Python causes a warning, and a failure in CI. Exits with 1 if a call fails.
import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'arango-services';
import { permissionsOf, typed } from 'arango-services/openapi';
import fc from 'fast-check';
import { callAll } from '../test/deep/fastapi/calls.ts';
import type { paths } from '../test/deep/fastapi/openapi.d.ts';
import { root } from './lib/exec.ts';
import { makeVenv } from './lib/python.ts';
import { withService } from './lib/running-service.ts';
import { trySpellings } from './lib/spellings.ts';

const versions = ['fastapi==0.165.0', 'uvicorn==0.54.0', 'python-multipart==0.0.34'];
const source = join(root, 'test/deep/fastapi');

const text = fc
  .array(
    fc.oneof(fc.string({ unit: 'binary', maxLength: 3 }), fc.constantFrom('/', '%', '%2F', '%25', '?', '#', '&', '+')),
    {
      maxLength: 4,
    },
  )
  .map((parts) => parts.join(''))
  .filter((value) => !/\0|(^|[/\\])\.{1,2}($|[/\\])/.test(value));
const segment = text.filter((value) => value !== '');

/** Sends random parameters, and compares what arrived. */
async function sendRandom(url: string): Promise<void> {
  const items = typed<paths>(createClient({ url }).absoluteRoute('/'));
  // Starlette decodes a path before it splits it: a slash would end the first segment, and slashes at the ends of the
  // second one are redirected. Its pattern for the rest of a path takes no line break.
  const one = segment.filter((value) => !value.includes('/'));
  const two = segment.filter((value) => !/^\/|\/$|\n/.test(value));
  const property = fc.asyncProperty(one, two, text, fc.array(text, { maxLength: 3 }), async (...values) => {
    const [first, second, single, many] = values;
    const { body } = await items.get('/echo/{one}/{two}', {
      path: { one: first, two: second },
      query: { text: single, many },
    });
    assert.deepEqual(body, { one: first, two: second, text: single, many });
  });
  await fc.assert(property, { numRuns: 10_000 });
}

/** Calls each operation, then the one that answers with its parameters. */
async function tryCalls(url: string): Promise<void> {
  const document = JSON.parse(await readFile(join(source, 'openapi.json'), 'utf8')) as unknown;
  const served: unknown = await (await fetch(`${url}/openapi.json`)).json();
  assert.deepEqual(served, document, 'test/deep/fastapi/openapi.json is not that of the service');
  const count = await callAll(createClient({ url }).absoluteRoute('/'));
  assert.equal(count, 40);
  console.log(`ok   ${count} calls of a FastAPI service (${versions.join(', ')})`);
  const started = performance.now();
  await sendRandom(url);
  console.log(`ok   10 000 random parameters (${((performance.now() - started) / 1_000).toFixed(0)} s)`);
}

/** The kinds whose types have several texts for a value. */
const manyTexts = ['duration', 'either', 'decimal'];

/** Judges spellings by the service's own document. */
async function tryAllSpellings(url: string): Promise<void> {
  // The cast: FastAPI writes its document so.
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as { paths: Record<string, object> };
  const names = Object.keys(document.paths).map((path) => path.split('/')[1] ?? '');
  for (const kind of manyTexts) {
    const { [`/${kind}/{value}`]: item, ...others } = document.paths;
    assert.throws(() => permissionsOf({ paths: { [`/${kind}/{value}`]: item } }), /\{value:text\}/);
    document.paths = others;
  }
  const found = await trySpellings('FastAPI', { url, kinds: names, document }, 1_000);
  assert.deepEqual(found, []);
  console.log('ok   random spellings of parameters');
}

const folder = join(tmpdir(), `arango-services-fastapi-${process.pid}`);
try {
  const python = await makeVenv(folder, 'FastAPI', versions);
  if (python !== undefined) {
    await withService([python, join(source, 'service.py')], '/openapi.json', tryCalls);
    const spellings = join(root, 'test/deep/spellings/typed.py');
    await withService([python, spellings], '/openapi.json', tryAllSpellings);
  }
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
