import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import fc from 'fast-check';
import createFetchClient from 'openapi-fetch';
import { describe, expect, test } from 'vitest';
import { root } from '../../../scripts/lib/exec.ts';
import { permissionsOf, typed } from '../../../src/client/openapi/index.ts';
import { type Guard, guardOperation } from '../../../src/enforce/guard/index.ts';
import { createClient, type InvalidArgumentError } from '../../../src/index.ts';
import { guardOf } from '../../support/guards.ts';
import { casesOf, isRelease } from '../../support/thorough.ts';
import { choicesOf, type Operation, operationsOf, rivalOf, valuesOfSiblings } from './honest-requests/operations.ts';

const files = ['piccolo-admin', 'mlserver-data-plane', 'backstage-catalog', 'published/*'].flatMap((name) =>
  globSync(`test/client/openapi/documents/${name}.json`, { cwd: root }),
);

/** Of GitHub's document: the specification calls such paths identical, and they must not exist. */
const identical = ['/orgs/{org}', '/users/{username}'].map(
  (of) => `${of}/attestations/{subject_digest} matches the same paths as ${of}/attestations/{attestation_id}`,
);

/** The texts of a string parameter: all but those that no guard takes, which docs/guides/openapi.md lists. */
const anyText = fc
  .oneof(
    fc.constantFrom(
      'main',
      'a.b',
      'v1.0',
      '100%',
      'a+b',
      '~',
      '@me',
      'ü',
      'a b',
      '%20',
      'a;b',
      "it's",
      '(x)',
      '07',
      '*',
    ),
    fc.string({ minLength: 1, maxLength: 12 }),
    fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' }),
  )
  .filter((text) => !/[/\\:\p{Cc}]/u.test(text) && !/^\.{1,2}$/.test(text));

/** The values of a parameter by its schema, and sometimes the fixed text of a segment of the document. */
function valuesOf(schema: Record<string, unknown>, fixed: readonly string[]) {
  const { type, format } = schema;
  const choices = choicesOf(schema);
  if (choices) return fc.constantFrom(...choices);
  if (type === 'integer') return fc.maxSafeInteger();
  if (type === 'number') return fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 });
  if (format === 'uuid') return fc.uuid();
  return fc.oneof({ arbitrary: anyText, weight: 9 }, { arbitrary: fc.constantFrom(...fixed), weight: 1 });
}

/** Takes the paths out of a document for which it is refused, and returns them. */
function takeOutRefused(document: { readonly paths: Record<string, unknown> }): string[] {
  const refused: string[] = [];
  for (;;) {
    try {
      permissionsOf(document);
      return refused;
    } catch (error) {
      const { field, problem } = error as InvalidArgumentError;
      const path = /^document\.paths\["(.*?)"\]/.exec(field)?.[1];
      if (path === undefined) throw error;
      refused.push(`${path} ${problem}`);
      delete document.paths[path];
    }
  }
}

/** The targets of the requests that three clients send for an operation. */
function createSenders() {
  const sent: string[] = [];
  const fetch = async (request: Request | URL | string) => {
    const { pathname } = new URL(request instanceof Request ? request.url : request);
    sent.push(pathname);
    return Response.json({});
  };
  const route = createClient({ url: 'http://service.test', fetch: fetch as typeof globalThis.fetch }).absoluteRoute(
    '/',
  );
  // The casts: the document is known at run time only.
  const calls = typed<never>(route) as unknown as Record<string, (path: string, options: object) => Promise<unknown>>;
  const other = createFetchClient({ baseUrl: 'http://service.test', fetch }) as unknown as typeof calls;
  return async ({ method, path }: Operation, values: Readonly<Record<string, string | number>>) => {
    sent.length = 0;
    await calls[method]?.(path, { path: values });
    await other[method.toUpperCase()]?.(path, { params: { path: values } });
    const segments = path.slice(1).split('/');
    // An array has neither an empty segment nor fixed text that is kept as it is.
    const isPlain = segments.every((segment) => /^(?:\{[^{}]+\}|[\w.~-]+)$/.test(segment));
    const text = (_: string, name: string) => String(values[name]);
    const data = segments.map((segment) => segment.replace(/\{([^{}]+)\}/g, text));
    if (isPlain) await route.request({ method, path: data });
    return [...sent];
  };
}

/** A check of targets, which returns the question of the guard, or `denied`. */
function createJudge(document: object) {
  let question = '';
  const check: Guard['check'] = async (_request, { action, resource }) => {
    question = `${action} ${resource}`;
    return { allowed: true, status: 200, token: 't' };
  };
  const judge = guardOperation(guardOf(check), document);
  return async ({ method }: Operation, url: string) => {
    question = 'denied';
    await judge({ headers: {}, method: method.toUpperCase(), url });
    return question;
  };
}

describe.each(files.map((file) => [basename(file, '.json'), file] as const))('%s', (name, file) => {
  const document = JSON.parse(readFileSync(`${root}${file}`, 'utf8'));
  const refused = takeOutRefused(document);
  const operations = operationsOf(document);
  // Each of github's thousand operations is compared with all others.
  const asked = operations.length > 500 ? casesOf(casesOf(operations)) : operations;
  const fixed = [...new Set(operations.flatMap(({ path }) => path.split('/')).filter((text) => /^[^{}]+$/.test(text)))];

  test('is a document that the guard accepts, except for paths that OpenAPI forbids', () => {
    expect(refused).toEqual(name === 'github' ? identical : []);
  });

  test('each honest request passes, unless a value equals the fixed text of a sibling', async () => {
    const judge = createJudge(document);
    const send = createSenders();
    const numRuns = operations.length > 500 ? 1 : 4;
    const unexplained: string[] = [];
    let passed = 0;
    for (const operation of asked) {
      const values = Object.entries(operation.parameters).map(([key, schema]) => [key, valuesOf(schema, fixed)]);
      for (const given of fc.sample(fc.record(Object.fromEntries(values)), { numRuns, seed: 35 })) {
        for (const url of await send(operation, given)) {
          const question = await judge(operation, url);
          if (question === operation.question(given)) passed += 1;
          else if (rivalOf(operation, given, operations) === undefined) unexplained.push(`${url}: ${question}`);
        }
      }
    }
    expect(unexplained).toEqual([]);
    expect(passed).toBeGreaterThan(asked.length * numRuns);
  });

  // The list of github's thousand operations is compared for a release.
  test.runIf(isRelease || asked === operations)(
    'the refusals of values that equal the fixed text of a sibling are those that are listed',
    async () => {
      const judge = createJudge(document);
      const lines = new Set<string>();
      for (const operation of operations) {
        for (const { values, url, sibling } of valuesOfSiblings(operation, operations)) {
          const question = await judge(operation, url);
          if (question === operation.question(values)) continue;
          const method = operation.method.toUpperCase();
          const judged = operations.find(({ action }) => question.startsWith(`${action} `))?.path;
          const why = judged === undefined ? `denied: may be ${sibling}` : `is ${judged}`;
          lines.add(`${method} ${operation.path} as ${url}: ${why}`);
        }
      }
      await expect([...lines, ''].join('\n')).toMatchFileSnapshot(`honest-requests/${name}.txt`);
    },
  );
});
