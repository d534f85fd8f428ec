import { isObject } from '../../../base/lib/values.js';
import { redacted } from '../../../base/secrets/redact.js';
import { Code, textLiteral, toLiteral } from './literal.js';
import { copiedHeaders, isSizeOnly, type ShownRequest, targetOf } from './shown-request.js';

const token = new Code('token');
/** Stands for a password in the test, which creates the user with it. */
const password = 'a password';

/** A body without its redacted secrets: a password, else the token. */
function fillIn(value: unknown, name: string): unknown {
  if (value === redacted) return /password/i.test(name) ? password : token;
  if (Array.isArray(value)) return value.map((item) => fillIn(item, name));
  if (!isObject(value)) return value;
  // Entries, not assignments, so that a field named __proto__ stays a field.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillIn(item, key)]));
}

/** True if the request had a token, or something else that the log redacted. */
function needsToken({ headers, body, path, query }: ShownRequest): boolean {
  const shown = JSON.stringify([headers, body ?? null, path, query]);
  return headers.authorization !== undefined || shown.includes(redacted);
}

function headerCode([name, value]: readonly [string, string]): readonly [string, unknown] {
  if (name === 'authorization') return [name, new Code(`\`bearer \${token}\``)];
  return [name, value.includes(redacted) ? new Code(`\`${templateText(value)}\``) : value];
}

/** Text inside a template literal, with the token in place of redacted secrets. */
const templateText = (text: string): string =>
  text
    .split(redacted)
    .map((part) => textLiteral(part).slice(1, -1).replace(/[`$]/g, '\\$&'))
    .join(`\${token}`);

function bodyCode({ body }: ShownRequest): unknown {
  if (body === undefined) return undefined;
  if (isSizeOnly(body)) return new Code(`${textLiteral('')} /* the log does not keep this body: ${String(body)} */`);
  if (typeof body === 'string') return body.includes(redacted) ? new Code(`\`${templateText(body)}\``) : body;
  return new Code(`JSON.stringify(${toLiteral(fillIn(body, ''), '    ')})`);
}

/** The users of a login, with the password that the test uses. */
function usersOf({ body }: ShownRequest, config: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const text = JSON.stringify(fillIn(body, '') ?? null);
  const { users } = config;
  if (!text.includes(JSON.stringify(password)) || !Array.isArray(users)) return config;
  return { ...config, users: users.map((user) => ({ ...user, password })) };
}

/** The code for the URL: the target may hold secrets that the token stands for. */
const urlCode = (target: string): string => `\`\${mock.connection.url}${templateText(target)}\``;

/**
 * Formats a request as a test for vitest: it makes the request against a mock in this state, and expects the same
 * answer.
 * @param config the state, for `createMock`.
 */
export function toTest(request: ShownRequest, config: Readonly<Record<string, unknown>>): string {
  const { method, user, status, decision } = request;
  const title = [method, request.path, ...(user === undefined ? [] : ['as', user])].join(' ');
  const init = { method, headers: Object.fromEntries(copiedHeaders(request).map(headerCode)), body: bodyCode(request) };
  const call = `mock.fetch(${urlCode(targetOf(request))}, ${toLiteral(init, '  ')})`;
  const issued = `await mock.tokens.issue({ user: ${user === undefined ? 'null' : textLiteral(user)} })`;
  const expectations =
    status === 0
      ? ['  mock.fail({ drop: true });', `  await expect(${call}).rejects.toThrow();`]
      : [`  const response = await ${call};`, `  expect(response.status).toBe(${status});`];
  if (decision !== undefined) {
    expectations.push(`  expect(mock.requests.at(-1)?.decision).toBe(${textLiteral(decision)});`);
  }
  return [
    "import { createMock } from 'arango-services/mock';",
    "import { expect, test } from 'vitest';",
    '',
    `test(${textLiteral(title)}, async () => {`,
    `  await using mock = await createMock(${toLiteral(usersOf(request, config), '  ')});`,
    ...(needsToken(request) ? [`  const token = ${issued};`] : []),
    ...expectations,
    '});',
    '',
  ].join('\n');
}
