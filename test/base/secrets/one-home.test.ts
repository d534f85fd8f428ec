import { globSync, readFileSync } from 'node:fs';
import { parse } from 'acorn';
import { simple } from 'acorn-walk';
import { transform } from 'esbuild';
import { expect, test } from 'vitest';
import { root } from '../../../scripts/lib/exec.ts';

/** Names that only a list of secrets combines; a single one is a field or a header in use. */
const secretNames =
  /^(?:(?:proxy-)?authorization|(?:set-)?cookie|x-api-key|api-?key|passw(?:or)?d|pwd|(?:access_|refresh_)?token|jwt|bearer|basic)$/i;
const secretWords = /passw|pwd|secret|token|cookie|credential|auth|api-\?key|jwt|eyJ/gi;
const byHand = /^(?:redact|mask|scrub|saniti[sz]e|censor|cleanse)/i;
const placeholders = /<redacted>|\[redacted\]|\*{3,}|^eyJ/i;

/** Code that lists names of secrets or redacts them by itself. */
async function findSecretWork(source: string): Promise<string[]> {
  const { code } = await transform(source, { loader: 'ts', target: 'es2023' });
  const found: string[] = [];
  const named = (name: string) => {
    if (byHand.test(name)) found.push(`declares ${name}`);
  };
  simple(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }), {
    Literal({ regex, value }) {
      const words = new Set(regex?.pattern.match(secretWords)?.map((word) => word.toLowerCase()));
      if (regex && (words.size > 1 || words.has('eyj'))) found.push(`matches /${regex.pattern}/`);
      if (typeof value === 'string' && placeholders.test(value)) found.push(`says ${value}`);
    },
    ArrayExpression({ elements }) {
      const names = elements.flatMap((one) =>
        one?.type === 'Literal' && typeof one.value === 'string' && secretNames.test(one.value) ? [one.value] : [],
      );
      if (names.length > 1) found.push(`lists ${names.join(', ')}`);
    },
    FunctionDeclaration({ id }) {
      named(id?.name ?? '');
    },
    VariableDeclarator({ id, init }) {
      if (id.type === 'Identifier' && /Function/.test(init?.type ?? '')) named(id.name);
    },
  });
  return found;
}

const files = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.includes('/generated/'));
const elsewhere = files.filter((file) => !file.startsWith('src/base/secrets/'));

test('src/base/secrets alone lists the names of secrets and redacts their values', async () => {
  expect(files.length - elsewhere.length).toBeGreaterThan(3);
  const found = await Promise.all(
    elsewhere.map(async (file) => {
      const work = await findSecretWork(readFileSync(root + file, 'utf8'));
      return work.map((what) => `${file} ${what}`);
    }),
  );
  expect(found.flat()).toEqual([]);
});

test.each([
  ["const hidden = new Set(['authorization', 'Cookie']);", 'lists authorization, Cookie'],
  ['const names = /passw|token/i;', 'matches /passw|token/'],
  ['export const isToken = (text: string) => /eyJ[a-z]/.test(text);', 'matches /eyJ[a-z]/'],
  ["const isToken = (text: string): boolean => text.includes('eyJ');", 'says eyJ'],
  ["const shown = (): string => '<redacted>';", 'says <redacted>'],
  ['function redactHeaders(): void {}', 'declares redactHeaders'],
  ['const maskToken = (text: string): string => text;', 'declares maskToken'],
])('finds %s', async (source, expected) => {
  expect(await findSecretWork(source)).toEqual([expected]);
});

test.each([
  "const header = headers.get('authorization');",
  "const fields = ['user', 'password'];",
  'const [, token] = /^bearer +(\\S*)$/i.exec(header) ?? [];',
  "import { redactText } from './redact.js';",
])('ignores %s', async (source) => {
  expect(await findSecretWork(source)).toEqual([]);
});
