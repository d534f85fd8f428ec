import { expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { sourceOf } from '../scripts/lib/package.ts';
import { createClient, credentials } from '../src/index.ts';
import * as permissions from '../src/permissions/index.ts';
import { createCalls, messageOf, needed, optionNames, url } from './support/option-calls.ts';

// One wording for one mistake, walked over every function and method that takes options: whatever is passed, the error
// names the option, says what is accepted, and what came instead.

const { calls, client, route } = await createCalls();

/** Options that no call may read before others, each with the reason. */
const unread = new Set([
  // Only a call that asks something reads them; an empty document has no operations, and no test no question.
  ...['timeout', 'signal', 'retry', 'operation', 'headers'].map((name) => `allowedOperations ${name}`),
  'runTests maxWork',
  // With `validate` only, which reads it.
  'mock.service document',
  // A symbol is refused with the sentence for bodies, which names no kind.
  'route.request body',
  // The words of these say more: they need another option, or are refused whatever their kind.
  'mock.fail body',
  'mock.fail grpcCode',
  'mock.fail headers',
  'mock.fail after',
  'createSession credentials',
  // Read with the first token.
  'createVerifier secret',
  // Part of the line of the call, so its problem names no kind.
  'route.request method',
]);

const kinds: readonly [unknown, string][] = [
  [['canary'], 'a list'],
  ['canary', 'a string'],
  [null, 'null'],
  [7, 'a number'],
];
const cases = Object.entries(calls);

test.each(cases)('%s refuses what is not an object', async (_, call) => {
  for (const [given, kind] of kinds) {
    expect(await messageOf(call, given)).toMatch(
      new RegExp(`(?:^|: )\\w+: expected (?:an object|\\{ username, password \\}), got ${kind}$`),
    );
  }
});

test.each(cases)('%s suggests options for unknown ones, and says what the known ones accept', async (name, call) => {
  const unknown = await messageOf(call, { zzz: 'canary' });
  expect(unknown).toMatch(/(?:^|: |\.)zzz: unknown; accepted are /);
  for (const option of await optionNames(call)) {
    const misspelt = await messageOf(call, { ...needed[name], [`${option}${option.at(-1)}`]: 'canary' });
    expect(misspelt).toContain(`unknown (did you mean "${option}"?); accepted are `);
    if (unread.has(`${name} ${option}`)) continue;
    const message = await messageOf(call, { ...needed[name], [option]: Symbol('canary') });
    expect(message).toContain(option);
    expect(message, option).toMatch(/\S+: expected .*, got a symbol$/);
    expect(message).not.toContain('canary');
  }
});

/** Exported functions without options, or whose options are those of another one. */
const withoutOptions = new Set([
  'decisionAttributes',
  // Arguments only.
  ...['defineCatalog', 'describeError', 'explain', 'findStaleResources', 'fromEnv', 'holdsAt', 'normalizePolicy'],
  ...[
    'permissionsOf',
    'policyForOperations',
    'progress',
    'regionContains',
    'samePolicy',
    'sameRole',
    'signInUrl',
    'tokenFile',
  ],
  ...['toPlain', 'toNodeListener', 'toResponse', 'typed', 'parameterTable', 'mockPool'],
  ...['openApiValidator', 'parityOf'],
  // Of React: arguments and props.
  ...['Can', 'SessionProvider', 'useCan', 'useCanAll', 'useCanReady', 'useUser'],
  // The members of `credentials`.
  ...['basic', 'bearer', 'cookies', 'login', 'minted'],
  // The options of `readLines`, `readPermissions`, and of guards whose document is not read here.
  ...['scopeOf', 'ndjson', 'adoptPermissions', 'guardOperation', 'operationGuards'],
]);

test('every exported function is walked, or has no options of its own', async () => {
  const entries = Object.entries(packageJson.exports).flatMap(([_subpath, target]) =>
    typeof target === 'object' ? `../${sourceOf(target.default.slice('./dist/'.length, -'.js'.length))}` : [],
  );
  const names = new Set<string>();
  for (const entry of entries) {
    const module: Record<string, unknown> = await import(entry);
    for (const [name, value] of Object.entries(module)) {
      const isClass = typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value));
      if (typeof value === 'function' && !isClass && !/^(?:is|format|validate)[A-Z]/.test(name)) names.add(name);
    }
  }
  expect(names.size).toBeGreaterThan(50);
  expect([...names].filter((name) => !(name in calls) && !withoutOptions.has(name))).toEqual([]);
});

test('misspelt options that users have written get the right suggestion', async () => {
  expect(() => createClient({ url, databse: 'x' } as never)).toThrow('databse: unknown (did you mean "database"?)');
  expect(() => createClient({ url, retries: 1 } as never)).toThrow('retries: unknown (did you mean "retry"?)');
  expect(() => credentials.login({ username: 'a', pasword: 'canary' } as never)).toThrow(
    'credentials.pasword: unknown (did you mean "password"?)',
  );
  expect(await messageOf(() => route.get(null as never), undefined)).toMatch(
    /path: expected a string or a list of segments, got null$/,
  );
  expect(await messageOf(() => permissions.readState(client, {} as never), undefined)).toBe(
    'options: expected one of users and replica',
  );
  for (const call of [permissions.readState, permissions.apply, permissions.readCaller]) {
    expect(await messageOf(() => Reflect.apply(call, undefined, [{}, { users: [] }]), undefined)).toBe(
      'client: expected a client, got an object',
    );
  }
});
