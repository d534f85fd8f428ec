import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runsOf } from '../../support/thorough.ts';
import { Model, type ModelTab } from './reducer.ts';

// The reducer itself, without timers, stores and channels: every order of its events, and a hostile page.

const century = 3_155_760_000_000;
const times = { askedAt: 0, signedInAt: 0 };
const honest = fc.record({
  tab: fc.nat({ max: 2 }),
  kind: fc.constantFrom('alice', 'bob', 'out', 'renew', 'give-up'),
  /** How much of the work goes on before the next act. */
  steps: fc.nat({ max: 30 }),
});
const version = fc.oneof(
  fc.constantFrom(0, 1, 2 ** 53 - 1, 2 ** 53, 1e16, 1e21, Number.POSITIVE_INFINITY),
  // Around now, and around the last version that counts.
  fc.integer({ min: -5, max: 5 }).chain((ms) => fc.constantFrom(0, 0.5, century).map((ahead) => ['now', ms + ahead])),
);
const attack = fc.record({
  kind: fc.constantFrom('end', 'change', 'expired', 'refused', 'mark', 'junk', 'damage', 'empty', 'version', 'clock'),
  version,
  steps: fc.nat({ max: 30 }),
});
const order = fc.infiniteStream(fc.nat({ max: 1_000 }));

function act(model: Model, { tab: index, kind }: { tab: number; kind: string }): void {
  // The cast: the generator knows the number of tabs.
  const tab = model.tabs[index] as ModelTab;
  if (kind === 'out') model.signOut(tab);
  else if (kind === 'renew') model.renew(tab);
  else if (kind === 'give-up') model.giveUp(tab);
  else model.signIn(tab, kind);
}

/** A page of the same origin sends and stores anything but a valid token of another user. */
function attackWith(model: Model, kind: string, at: unknown): void {
  const chosen = Array.isArray(at) ? model.now + at[1] : Number(at);
  const { record } = model;
  if (kind === 'mark') model.change({ mark: chosen <= model.now + century ? chosen : Number.NaN });
  // What cannot be read, and what names no session.
  else if (kind === 'damage') model.change({ record: { token: '', ...times, version: Number.NaN } });
  else if (kind === 'junk') {
    if (chosen >= 0 && chosen <= model.now + century)
      model.change({ record: { token: 'junk', ...times, version: chosen } });
  } else if (kind === 'empty') model.change({ record: null });
  else if (kind !== 'version') model.send({ kind: kind as 'end', version: chosen });
  else if (record && chosen >= 0 && chosen <= model.now + century)
    model.change({ record: { ...record, version: chosen } });
}

const users = (model: Model) => model.tabs.map((tab) => model.userOf(tab));

/** Signing in and out works, whatever happened before. */
function expectHealed(model: Model): void {
  for (const [index, user] of ['alice', 'bob', 'alice'].entries()) {
    model.signIn(model.tabs[index] as ModelTab, user);
    model.rest();
    expect([users(model), model.record?.token.split('.')[0]]).toEqual([[user, user, user], user]);
  }
  model.signOut(model.tabs[1] as ModelTab);
  model.rest();
  expect([users(model), model.record]).toEqual([[undefined, undefined, undefined], null]);
}

const runs = { ...runsOf(Number(process.env.RUNS ?? 1_000)), endOnFailure: true };

test('states of honest tabs agree in the end, with each other and the store, as the last one has chosen', () => {
  fc.assert(
    fc.property(fc.array(honest, { minLength: 1, maxLength: 12 }), honest, order, (acts, last, choices) => {
      const model = new Model(3, (count) => (choices.next().value ?? 0) % count);
      for (const one of acts) {
        act(model, one);
        model.run(one.steps);
      }
      model.rest();
      const before = users(model);
      expect(new Set(before).size).toBe(1);
      expect(model.record?.token.split('.')[0]).toBe(before[0]);
      act(model, last);
      model.rest();
      const isSignIn = last.kind === 'alice' || last.kind === 'bob';
      const expected = isSignIn ? last.kind : last.kind === 'renew' ? before[0] : undefined;
      expect(users(model)).toEqual([expected, expected, expected]);
      expectHealed(model);
    }),
    runs,
  );
});

test('no hostile page of the same origin keeps a tab signed in, and the next sign-in heals all', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(honest, attack), { minLength: 1, maxLength: 14 }), order, (acts, choices) => {
      const model = new Model(3, (count) => (choices.next().value ?? 0) % count);
      for (const one of acts) {
        if ('tab' in one) act(model, one);
        else attackWith(model, one.kind, one.version);
        model.run(one.steps);
      }
      model.rest();
      const tokens = model.tabs.flatMap((tab) => (model.userOf(tab) ? [tab.state.live?.token] : []));
      expect(new Set(tokens).size).toBeLessThanOrEqual(1);
      // A version at the limit counts up to some milliseconds above it.
      model.now += 1_000;
      // A tab that alone heard of a later version stays signed out until it signs in itself.
      for (const tab of model.tabs) {
        model.signIn(tab, 'bob');
        model.rest();
      }
      expectHealed(model);
    }),
    runs,
  );
});

test('after a sign-out no tab is signed in, whatever a hostile page does then', () => {
  fc.assert(
    fc.property(
      fc.array(honest, { maxLength: 6 }),
      fc.array(attack, { maxLength: 8 }),
      order,
      (acts, attacks, choices) => {
        const model = new Model(3, (count) => (choices.next().value ?? 0) % count);
        for (const one of acts) act(model, one);
        model.rest();
        const versions = attacks.filter(({ kind }) => kind !== 'version');
        model.signOut(model.tabs[0] as ModelTab);
        for (const one of versions) {
          attackWith(model, one.kind, one.version);
          model.run(one.steps);
        }
        model.rest();
        expect(users(model)).toEqual([undefined, undefined, undefined]);
      },
    ),
    runs,
  );
});
