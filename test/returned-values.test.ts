import { expect, test } from 'vitest';
import { isArangoServicesError } from '../src/index.ts';
import { hooks } from './support/hooks.ts';
import { createCalls, messageOf, needed, optionNames } from './support/option-calls.ts';

// A function of the caller may return anything. Where its result matters, one of another kind is an error that names
// the option; where it does not, nothing changes.

const { calls } = await createCalls();

/** Values that a function may return by mistake, created for each use. */
const junk: Readonly<Record<string, () => unknown>> = {
  NaN: () => Number.NaN,
  Infinity: () => Number.POSITIVE_INFINITY,
  '-Infinity': () => Number.NEGATIVE_INFINITY,
  undefined: () => undefined,
  null: () => null,
  text: () => 'canary',
  true: () => true,
  '{}': () => ({}),
  '[]': () => [],
  '1n': () => 1n,
  promise: () => Promise.resolve('canary'),
  rejection: () => Promise.reject(new Error('canary')),
};

/** The words for options that are functions, or objects with methods. */
const callable = /function|\w+\(|decider|replica|Schema|transport like|client|session|writable stream/;

const isCallable = async (name: string, option: string): Promise<boolean> => {
  // The casts: each call checks its options at run time.
  const message = await messageOf(calls[name] as never, { ...needed[name], [option]: Symbol('canary') });
  const accepted = message?.split('expected ')[1]?.split(', got a symbol')[0] ?? '';
  return callable.test(accepted.replace(/credentials\.login\(.*/, ''));
};

/** Options that are not called here, each with the reason. */
const elsewhere = new Set([
  // Parts of the mock and of a replica, which test/mock and test/enforce/replica feed with anything.
  ...['playback validate', 'readState replica', 'createReplica transport', 'checkConformance streams'],
  // The reader and the use of `Connection`, and the hook of `createGuard`.
  ...['createReplica credentials', 'createReplica onDecision'],
  // A stream of the platform, whose methods return what it documents.
  'decisionLog stream',
  // The options of `createClient`, by the same readers.
  ...['credentials', 'observe', 'fetch', 'transport', 'clock'].map((option) => `createRouteClient ${option}`),
  // Refused whatever it is; called when a token is due, test/client/session has its results.
  ...['createSession credentials', 'createSession renew'],
]);

test('every option that is a function has its rows in the table of returned values', async () => {
  const missing: string[] = [];
  for (const [name, call] of Object.entries(calls)) {
    for (const option of await optionNames(call)) {
      const known = Object.keys(hooks).some(
        (key) => key === `${name} ${option}` || key.startsWith(`${name} ${option}.`),
      );
      if (!known && !elsewhere.has(`${name} ${option}`) && (await isCallable(name, option)))
        missing.push(`${name} ${option}`);
    }
  }
  expect(missing).toEqual([]);
});

/** A promise where none is expected is refused; nothing waits for it, so that its rejection is the caller's. */
const caught = (make: () => unknown) => () => {
  const made = make();
  if (made instanceof Promise) made.catch(() => undefined);
  return made;
};

const cases = Object.entries(hooks).flatMap(([name, hook]) =>
  Object.entries(junk).map(([kind, make]) => ({ name, kind, hook, make })),
);

test.each(cases)('$name returns $kind', async ({ name, kind, hook, make }) => {
  const { use, accepts = [], says = new RegExp((name.split(/[ .]/)[1] ?? name).replace(/\W/g, '')) } = hook;
  let failure: unknown;
  try {
    // The cast: it returns what its type does not allow.
    await use((accepts === 'anything' && !hook.isSync ? make : caught(make)) as () => never);
  } catch (error) {
    failure = error;
  }
  if (accepts === 'anything' || accepts.includes(kind)) {
    expect(failure).toBeUndefined();
    return;
  }
  expect(failure).toBeInstanceOf(Error);
  const { message } = failure as Error;
  // A rejection is the caller's own error, which says what it says.
  if (kind === 'rejection') return;
  expect(message).toMatch(says);
  expect(message).not.toContain('canary');
  expect(isArangoServicesError(failure) || failure instanceof TypeError).toBe(true);
});
