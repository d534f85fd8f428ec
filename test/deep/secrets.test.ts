import { inspect } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { secretFilter } from '../../src/base/secrets/filter.ts';
import { createClient, credentials } from '../../src/index.ts';
import { failureOf } from '../support/failure.ts';
import { encodings, places } from '../support/secret-encodings.ts';
import { tryPasswords, tryValues } from '../support/secret-places.ts';

const password = fc
  .string({ minLength: 8, maxLength: 60, unit: 'grapheme' })
  .filter((text) => text.isWellFormed() && !text.includes(':'));
const token = fc.stringMatching(/^[\w-]{24,60}\.[\w-]{24,60}\.[\w-]{43}$/);
const names = Object.keys(encodings);
const written = (secret: string, name: string, place: number) =>
  places[place % places.length]?.(encodings[name]?.(secret) ?? '') ?? '';

// An encoding that is not decoded for some characters (a plus, a surrogate pair, an apostrophe), or only at one offset
// of base64, would reveal one secret in thousands.
test('200 000 secrets, encodings and places: the filter hides all', () => {
  let combinations = 0;
  fc.assert(
    fc.property(fc.oneof(password, token), fc.nat(places.length - 1), (secret, place) => {
      const show = secretFilter([secret], false);
      for (const name of names) {
        combinations += 1;
        if (show(written(secret, name, place)) !== '') throw new Error(`${name} shows it`);
      }
    }),
    { numRuns: Math.ceil(200_000 / names.length) },
  );
  expect(combinations).toBeGreaterThanOrEqual(200_000);
});

/** Places for a server's text, besides the body. */
const answers: readonly ((text: string) => Response)[] = [
  (text) => Response.json({ code: 7, message: text, details: [{ text }] }, { status: 403 }),
  (text) => Response.json({ error: true, code: 400, errorNum: 10, errorMessage: text }, { status: 400 }),
  (text) => Response.json({ title: text, detail: text }, { status: 422 }),
  (text) => new Response(text, { status: 500 }),
  (text) => new Response(null, { status: 500, headers: { 'x-request-id': encodeURIComponent(text) } }),
  (text) => new Response(null, { status: 302, headers: { location: `/${encodeURIComponent(text)}` } }),
];

/** True if a logged error contains the secret, any 16 successive characters of a token, or their encodings. */
function tells(error: Error, secret: string, isToken: boolean): boolean {
  const shown = [String(error), inspect(error, { depth: 9 }), JSON.stringify(error)].join('\n');
  const parts = [secret];
  if (isToken) for (let at = 0; at + 16 <= secret.length; at += 1) parts.push(secret.slice(at, at + 16));
  return (
    parts.some((part) => shown.includes(part)) || names.some((name) => shown.includes(encodings[name]?.(secret) ?? ''))
  );
}

// Finds an error with unfiltered server text (a new field, a new kind of response).
test('20 000 responses that quote the request: no error of a call shows the secret', async () => {
  let combinations = 0;
  const secrets = fc.oneof(
    password.map((text) => ({ text, given: credentials.basic('alice', text), isToken: false })),
    token.map((text) => ({ text, given: credentials.bearer(text), isToken: true })),
  );
  await fc.assert(
    fc.asyncProperty(secrets, fc.nat(places.length - 1), fc.nat(answers.length - 1), async (secret, place, answer) => {
      for (const name of names) {
        combinations += 1;
        const fetch = async () => answers[answer]?.(written(secret.text, name, place)) ?? Response.json({});
        const client = createClient({ url: 'http://service.test', retry: 0, credentials: secret.given, fetch });
        const call = combinations % 2 ? client.route('orders').get() : client.authentication.identity();
        const error = await failureOf(call);
        if (tells(error, secret.text, secret.isToken)) throw new Error(`${name} in ${error.message}`);
      }
    }),
    { numRuns: Math.ceil(20_000 / names.length) },
  );
  expect(combinations).toBeGreaterThanOrEqual(20_000);
});

// A filter that is too eager (a percent sign, a word between quotes, a long name) hides useful text.
test('100 000 innocent messages: none is hidden', () => {
  const name = fc.stringMatching(/^[a-zäöü][\wäöü-]{2,14}$/);
  const words = fc.oneof(
    name.map((text) => `User "${text}" not found`),
    name.map((text) => `collection or view not found: ${text}`),
    fc.tuple(name, name).map(([one, two]) => `${one} may not ${two} (403)`),
    fc.constantFrom(
      'token is expired',
      'User root not found',
      'Permission denied',
      '100% of %41 used',
      'expected \\u0041',
      '&lt;none&gt;',
    ),
  );
  const message = fc.array(words, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('; '));
  const secrets = ['correct horse', 'pä$$wörd&<>"\'', 'a+b/c=d%41', `${'eyJhbGciOiJIUzI1NiJ9'.repeat(3)}.x.y`, 'root'];
  const show = secretFilter(secrets, false);
  fc.assert(
    fc.property(message, (text) => show(text) === text.slice(0, 500)),
    { numRuns: 100_000 },
  );
});

test('19 000 altered passwords, and values of query and body, in every place of a response: none is shown', async () => {
  expect((await tryPasswords(1)) + (await tryValues(1))).toBeGreaterThan(19_000);
});
