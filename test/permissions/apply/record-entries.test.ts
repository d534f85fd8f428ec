import { describe, expect, test } from 'vitest';
import {
  decideBegun,
  expectedItems,
  isAsLeft,
  isCompleted,
  type RecordEntry,
} from '../../../src/permissions/apply/apply-record.ts';
import { type Plan, type PlanChange, plan } from '../../../src/permissions/index.ts';
import type { Policy } from '../../../src/policy/index.ts';

const granting = (...actions: string[]): Policy => ({ statements: [{ effect: 'Allow', actions, resources: ['*'] }] });
const [old, wanted, other] = [granting('a:x'), granting('a:y'), granting('a:z')];

/** A plan that changes `p` from `old` to `wanted`, and creates `q`. */
function made(): Plan {
  const state = { roles: new Map(), bindings: [], users: 'all' as const };
  const to = new Map([
    ['p', wanted],
    ['q', wanted],
  ]);
  const planned = plan({ ...state, policies: new Map([['p', old]]) }, { ...state, policies: to });
  const changes = planned.changes.map((change) => (change.name === 'p' ? { ...change, index: 7 } : change));
  return { ...planned, changes };
}

const callOf = ({ stages, changes }: Plan, name: string): number =>
  stages.flat().findIndex(({ change }) => changes[change]?.name === name);
const changeOf = ({ changes }: Plan, name: string): number => changes.findIndex((change) => change.name === name);

describe('a record', () => {
  test('is complete if an entry of each call says that it was made', () => {
    const planned = made();
    const all: RecordEntry[] = [0, 1].map((call) => ({ call, state: 'made' }));
    expect(planned.stages.flat()).toHaveLength(2);
    expect(isCompleted(planned, all)).toBe(true);
    expect(isCompleted(planned, [])).toBe(false);
    expect(isCompleted(planned, all.slice(1))).toBe(false);
    expect(isCompleted(planned, all.slice(0, 1))).toBe(false);
    expect(isCompleted(planned, [...all.slice(0, 1), { call: 1, state: 'begun' }])).toBe(false);
    // Of another run, at the same time.
    expect(isCompleted(planned, [...all, { call: 1, state: 'begun' }])).toBe(true);
    expect(isCompleted(planned, [{ call: 0, state: 'failed' }, ...all])).toBe(true);
  });

  test('says how its items may be found', () => {
    const planned = made();
    const [call, at, created] = [callOf(planned, 'p'), changeOf(planned, 'p'), changeOf(planned, 'q')];
    const before = { content: old, index: 7 };
    const expected = (...entries: RecordEntry[]) => expectedItems(planned, entries);
    for (const entries of [[], [{ call, state: 'failed' }]] satisfies RecordEntry[][]) {
      expect(expected(...entries)[at]).toEqual([before]);
    }
    expect(expected()[created]).toEqual([{ content: null, index: undefined }]);
    expect(expected({ call, state: 'begun' })[at]).toEqual([before, { content: wanted, index: undefined }]);
    const after = expected({ call, state: 'begun' }, { call, state: 'made', index: 9 });
    expect(after[at]).toEqual([{ content: wanted, index: 9 }]);
    expect(after[created]).toEqual([{ content: null, index: undefined }]);
  });
});

const change: PlanChange = {
  kind: 'policy',
  name: 'p',
  action: 'update',
  reason: 'tested',
  before: old,
  after: wanted,
};

test('an item is as it was left if its content and its index are, as far as they are known', () => {
  const left = { content: old, index: 7 };
  expect(isAsLeft(change, { content: old, index: 7 }, left)).toBe(true);
  expect(isAsLeft(change, { content: old, index: 8 }, left)).toBe(false);
  expect(isAsLeft(change, { content: other, index: 7 }, left)).toBe(false);
  expect(isAsLeft(change, { content: old }, left)).toBe(true);
  expect(isAsLeft(change, { content: old, index: 8 }, { content: old })).toBe(true);
  // The index of a deletion is the service's, and an item that is gone has none.
  expect(isAsLeft(change, { content: null, index: 8 }, { content: null, index: 7 })).toBe(true);
});

test.each<[string, Parameters<typeof decideBegun>[2], Parameters<typeof decideBegun>[3], string]>([
  ['the content of the call', { content: old, index: 7 }, { content: wanted, index: 9 }, 'made'],
  ['the same content and index as before', { content: old, index: 7 }, { content: old, index: 7 }, 'left'],
  ['the same content as before, by a later write', { content: old, index: 7 }, { content: old, index: 9 }, 'unclear'],
  ['other content at the same index', { content: old, index: 7 }, { content: other, index: 7 }, 'unclear'],
  ['no index', { content: old, index: 7 }, { content: old }, 'unclear'],
  ['an index, and none before', { content: old }, { content: old, index: 7 }, 'unclear'],
  ['no index, before and now', { content: old }, { content: old }, 'unclear'],
  ['an item that does not exist, as before', { content: null }, { content: null }, 'unclear'],
])('a call without an answer, found with %s', (_, before, now, decision) => {
  expect(decideBegun(change, { change: 0, content: wanted }, before, now)).toBe(decision);
});
