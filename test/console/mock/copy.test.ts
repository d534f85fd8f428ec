// biome-ignore-all lint/suspicious/noTemplateCurlyInString: texts that a template literal must not expand.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../../../scripts/lib/exec.ts';
import { toCurl } from '../../../src/console/mock/copy/curl.ts';
import { toLiteral } from '../../../src/console/mock/copy/literal.ts';
import { shellWord } from '../../../src/console/mock/copy/shell.ts';
import type { ShownRequest } from '../../../src/console/mock/copy/shown-request.ts';
import { createMockConsole } from '../../../src/console/mock/mock-api.ts';
import { createMock } from '../../../src/mock/index.ts';
import { evaluatePath, shop } from '../support/shop.ts';

const run = promisify(execFile);

/** Runs a command in `sh` with a `curl` that prints its arguments, each ended by NUL. */
async function argumentsOf(command: string, token: string): Promise<string[]> {
  const script = `curl() { printf '%s\\0' "$@"; }\n${command}\n`;
  const { stdout } = await run('sh', ['-c', script], { env: { TOKEN: token, PATH: process.env.PATH } });
  return stdout.split('\0').slice(0, -1);
}

const base: ShownRequest = {
  method: 'POST',
  path: '/_db/shop/orders',
  query: '',
  headers: {},
  body: undefined,
  user: undefined,
  status: 200,
  decision: undefined,
};

const hostile = [
  "it's",
  "'; touch pwned; '",
  '$(touch pwned)',
  '`touch pwned`',
  '"$HOME" $TOKEN ${TOKEN}',
  'a\\',
  '\\',
  "\\'",
  'line\nbreak',
  '\ttab',
  '!event !!',
  '~ * ? [a-z] {a,b}',
  '# comment',
  '-o pwned',
  '@/etc/passwd',
  'a=b; export TOKEN=x',
  '=ls',
  'ü ✓ \u{1f600} \u202e',
  '',
];

test.each(hostile)('quotes %j as one word of a shell', async (text) => {
  expect(await argumentsOf(`curl ${shellWord(text)} end`, 'secret')).toEqual([text, 'end']);
});

test.each(hostile)('copies a request with %j in every part as one command, which runs nothing of it', async (text) => {
  const request = {
    ...base,
    method: text === '' ? 'POST' : text,
    path: `/_db/${text}`,
    query: text,
    headers: {
      'x-text': text.replace(/[\n\t]/g, ' '),
      authorization: '<redacted>',
      cookie: `a=${text.replace(/\n/g, '')}; b=<redacted>`,
    },
    body: { text, token: '<redacted>' },
  };
  const token = '"; touch pwned #$(id)';
  const words = await argumentsOf(toCurl(request, 'http://127.0.0.1:8529'), token);
  const shown = request.headers['x-text'];
  expect(words).toEqual([
    '--globoff',
    '--path-as-is',
    '--request',
    request.method,
    `http://127.0.0.1:8529/_db/${text}${text === '' ? '' : `?${text}`}`,
    '--header',
    shown === '' ? 'x-text;' : `x-text: ${shown}`,
    '--header',
    `authorization: bearer ${token}`,
    '--header',
    `cookie: a=${text.replace(/\n/g, '')}; b=${token}`,
    '--data-raw',
    JSON.stringify({ text, token }).replace(JSON.stringify(token).slice(1, -1), token),
  ]);
});

test('leaves out headers of the connection, and bodies that the log does not keep', () => {
  const headers = { host: 'a', 'content-length': '9', connection: 'close', 'x-bad\nname': '1', accept: 'text/plain' };
  expect(toCurl({ ...base, headers, body: '[20000 bytes]' }, 'http://a.test')).toBe(
    [
      '# The log does not keep this body: write it to the file "body".',
      'curl --globoff --path-as-is --request POST http://a.test/_db/shop/orders \\',
      "  --header 'accept: text/plain' \\",
      '  --data-binary @body',
    ].join('\n'),
  );
  expect(toCurl({ ...base, method: 'HEAD' }, 'http://a.test')).toContain('--head');
});

test.each([
  ...hostile,
  { __proto__: null, a: [1, true, null, "it's"] },
  JSON.parse('{"__proto__":{"a":1},"b-c":{"constructor":"${x}`"}}'),
])('writes %j as a literal that reads back the same', (value) => {
  const read: unknown = new Function(`return (${toLiteral(value)});`)();
  expect(JSON.stringify(read)).toBe(JSON.stringify(value));
  expect(toLiteral(value)).not.toMatch(/\p{Cf}/u);
});

test('copies requests as tests for vitest, which pass', { timeout: 60_000 }, async () => {
  const mock = await createMock({
    ...shop,
    roles: { ...shop.roles, "it's `${role}`": { policies: ['reader'] } },
    routes: [{ path: '/_db/:db/orders/*', echo: true }],
  });
  const api = createMockConsole(mock);
  const url = mock.connection.url;
  const alice = { authorization: `bearer ${await mock.tokens.issue({ user: 'alice' })}` };
  const ask = (path: string, body: unknown, headers = {}) =>
    mock.fetch(url + path, { method: 'POST', body: JSON.stringify(body), headers });
  await ask(evaluatePath, { user: 'alice', action: 'orders:read', resource: 'order:7' });
  await ask(evaluatePath, { user: "bob'`${x}\\\n", action: 'orders:delete', resource: 'order:1' });
  await ask(`${evaluatePath}-token`, {
    token: alice.authorization.slice(7),
    action: 'orders:read',
    resource: 'order:7',
  });
  await ask('/_open/auth', { username: 'alice', password: 'canary-password-71' });
  await mock.fetch(`${url}/_db/shop/orders/it's%60$%7Bx%7D?q=$(id)&token=${alice.authorization.slice(7)}`, {
    headers: { ...alice, 'x-text': '`${process.exit(1)}`' },
  });
  await mock.fetch(`${url}/_management/permissions/policy`, { headers: alice });
  const { rows } = await api.requests({});
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'arango-services-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(root, join(folder, 'node_modules/arango-services'));
  symlinkSync(join(root, 'node_modules/vitest'), join(folder, 'node_modules/vitest'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const { id } of rows) {
    const { test: text } = await api.request({ id });
    expect(text).not.toContain('canary');
    writeFileSync(join(folder, `request-${id}.test.ts`), text);
  }
  writeFileSync(join(folder, 'vitest.config.ts'), 'export default { test: { include: ["*.test.ts"] } };\n');
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  // Not the variables of the run that this test is part of.
  const { PATH } = process.env;
  const flags = ['run', '--root', folder, '--reporter', 'json', '--outputFile', 'report.json'];
  const ended = await run(process.execPath, [vitest, ...flags], { cwd: folder, env: { PATH } }).catch((error) => error);
  const report = JSON.parse(await readFile(join(folder, 'report.json'), 'utf8').catch(() => String(ended.stderr)));
  const failures = report.testResults.flatMap(
    (file: { assertionResults: { failureMessages: string[] }[]; message: string }) =>
      [file.message, ...file.assertionResults.flatMap(({ failureMessages }) => failureMessages)].filter(Boolean),
  );
  expect(failures).toEqual([]);
  expect(report.numPassedTests).toBe(rows.length);
});
