import { expect, test } from 'vitest';
import { createProbe, places, tells, tryPasswords, tryValues } from '../../support/secret-places.ts';

// The deep tests run all of them. 7 is coprime to the numbers of places and encodings.
const every = 7;

test('a password, as a server may alter and write it: none of 1 300 texts and places shows it', async () => {
  expect(await tryPasswords(every)).toBeGreaterThan(1_300);
});

test('a value of query and body: none of 1 400 texts and places shows it', async () => {
  expect(await tryValues(every)).toBeGreaterThan(1_400);
});

test('the search finds a shown value', async () => {
  for (const place of Object.keys(places)) {
    const shownOf = createProbe((client) => client.route('orders').get());
    expect([place, tells(await shownOf(place, 'canary-7'), 'canary-7')]).toEqual([place, true]);
  }
});
