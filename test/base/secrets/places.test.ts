import { expect, test } from 'vitest';
import { createProbe, places, tells, tryPasswords, tryValues } from '../../support/secret-places.ts';
import { isThorough } from '../../support/thorough.ts';

// The deep tests run all of them. 7 and 29 are coprime to the numbers of places and encodings.
const every = isThorough ? 7 : 29;

test('a password, as a server may alter and write it: none of many texts and places shows it', async () => {
  expect(await tryPasswords(every)).toBeGreaterThan(9_100 / every);
});

test('a value of query and body: none of many texts and places shows it', async () => {
  expect(await tryValues(every)).toBeGreaterThan(9_800 / every);
});

test('the search finds a shown value', async () => {
  for (const place of Object.keys(places)) {
    const shownOf = createProbe((client) => client.route('orders').get());
    expect([place, tells(await shownOf(place, 'canary-7'), 'canary-7')]).toEqual([place, true]);
  }
});
