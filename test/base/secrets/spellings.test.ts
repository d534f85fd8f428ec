import fc from 'fast-check';
import { expect, test } from 'vitest';
import { secretFinder } from '../../../src/base/secrets/finder.ts';
import { hideSecrets } from '../../../src/base/secrets/known-secrets.ts';
import { spellingsOf } from '../../../src/base/secrets/spellings.ts';

/** The spellings by other means than those of the code. */
const written: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (secret) => secret,
  'in a URL': encodeURIComponent,
  'in a form': (secret) => new URLSearchParams([['', secret]]).toString().slice(1),
  'in JSON': (secret) => JSON.stringify(secret).slice(1, -1),
  'in base64': (secret) => Buffer.from(secret).toString('base64'),
  'in base64url': (secret) => Buffer.from(secret).toString('base64url'),
  'in hex': (secret) => Buffer.from(secret).toString('hex'),
  'in upper-case hex': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
};

const secrets = fc.string({ minLength: 10, unit: 'grapheme' }).filter((one) => one.trim().length >= 10);

test('known secrets are hidden in each spelling, by themselves and inside of a text', () => {
  fc.assert(
    fc.property(secrets, fc.constantFrom(...Object.keys(written)), (secret, name) => {
      const text = written[name]?.(secret) ?? '';
      // A form encodes `~` and others that URLs keep.
      if (name === 'in a form' && !spellingsOf(secret).includes(text)) return;
      const shown = hideSecrets([secret])({ a: [`at ${text}.`] }, '');
      expect([name, JSON.stringify(shown)]).not.toEqual([
        name,
        expect.stringContaining(JSON.stringify(text).slice(1, -1)),
      ]);
    }),
  );
});

test('the finder finds a secret in hex of either case, and in a part of it', () => {
  const secret = 'cänary "s3cret" 4711';
  const find = secretFinder([secret]);
  for (const name of ['in hex', 'in upper-case hex']) {
    const hex = written[name]?.(`before ${secret} after`) ?? '';
    expect([name, find(`x${hex}`), find(hex.slice(20, 38))]).toEqual([name, true, true]);
  }
  expect(find(Buffer.from('another text without it').toString('hex'))).toBe(false);
});

test('texts or names that are together a part of a secret are hidden', () => {
  const hide = hideSecrets(['a1b2c3d4e5f6g7h8i9j0k1l2']);
  const [one, other] = ['a1b2c3d4e5f6', 'g7h8i9j0k1l2'];
  for (const value of [[one, other], { a: { b: one }, c: other }, { [one]: 1, [other]: 2 }]) {
    expect([value, hide(value, '')]).toEqual([value, '<redacted>']);
  }
  expect(hide({ [one]: 1, other: [] }, '')).toEqual({ [one]: 1, other: [] });
});

test('a long secret, and one with half of a surrogate pair, have spellings', () => {
  const long = 'ab€'.repeat(100_000);
  expect(spellingsOf(long)).toContain(Buffer.from(long).toString('base64'));
  expect(spellingsOf('half \ud800 of a pair')).toContain('half \ud800 of a pair');
});
