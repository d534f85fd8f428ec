import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fidelities } from '../../src/mock/fidelity-rules.js';
import { createMock } from '../../src/mock/index.js';
import { validate } from '../support/calls.js';

const name = String.raw`['"\x60](?:documented|sidecar)['"\x60]`;
const comparison = new RegExp(String.raw`[!=]==?\s*${name}|${name}\s*[!=]==?|\bcase\s+${name}`, 'g');

/** The source files that may use the names: the tables themselves. */
const tables = /(?:^|\/)fidelity\.ts$/;
const sources = globSync('src/**/*.ts').filter((file) => !tables.test(file));

test('the mock reads a field of the table of fidelities instead of comparing their names', () => {
  const found = sources.flatMap((file) => (readFileSync(file, 'utf8').match(comparison) ?? []).map((at) => [file, at]));
  expect(found).toEqual([]);
});

test.each([
  `if (fidelity === 'sidecar')`,
  `settings.fidelity !== "documented"`,
  `'sidecar' == fidelity`,
  `case 'documented':`,
])('the check finds a comparison of names: %s', (code) => {
  expect(code.match(comparison)).not.toBeNull();
});

test('each field of the table of fidelities differs between them, and is read by the mock', () => {
  const code = sources.map((file) => readFileSync(file, 'utf8')).join('\n');
  const { documented, sidecar } = fidelities;
  const fields = Object.keys(documented) as (keyof typeof documented)[];
  expect(fields.length).toBeGreaterThan(10);
  expect(fields.filter((field) => JSON.stringify(documented[field]) === JSON.stringify(sidecar[field]))).toEqual([]);
  expect(fields.filter((field) => !new RegExp(String.raw`\b${field}\b`).test(code))).toEqual([]);
});

test.each([
  ['documented', false],
  ['sidecar', true],
] as const)('after a logout, in %s fidelity, the token of the session is valid: %s', async (fidelity, isValid) => {
  const mock = await createMock({ fidelity });
  const token = await mock.tokens.issue({ user: 'alice' });
  const logout = { headers: { cookie: `X-ArangoDB-Token-JWT=${token}` } };
  const { headers } = await mock.fetch('http://mock.test/_logout', logout);
  expect(headers.get('set-cookie')).toContain('Max-Age=0');
  expect(await validate(mock, token)).toMatchObject({ isValid });
});
