import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mockPool } from '../../../src/console/mock/node.ts';
import { createMock } from '../../../src/mock/index.ts';
import type { Binding, Policy, Role } from '../../../src/policy/index.ts';
import { authz } from '../../support/behaviour/check.ts';
import { call } from '../../support/calls.ts';
import { liveReplica } from './support/replicas.ts';

// Compares recorded decisions of the real evaluator with those of a mock, seeded with their states, and its replica.

interface Line {
  readonly policies: Record<string, Policy>;
  readonly roles: Record<string, Role>;
  readonly bindings: Binding[];
  readonly cases: readonly (readonly [user: string | null, action: string, resource: string, effect: string])[];
}

test.each([
  ['evaluation-1', 9_600],
  ['evaluation-odd', 3_600],
])(
  'the mock and a replica of it decide like the real evaluator: %s',
  async (name, count) => {
    const text = readFileSync(new URL(`../../vectors/${name}.jsonl`, import.meta.url), 'utf8');
    const lines = text
      .trim()
      .split('\n')
      .map((line): Line => JSON.parse(line));
    const wrong: unknown[] = [];
    let compared = 0;
    for (const [i, { cases, ...state }] of lines.entries()) {
      await using mock = await createMock({ ...state, fidelity: 'sidecar' });
      const replica = await liveReplica({ transport: mockPool(mock) });
      const users = new Set(cases.map(([user]) => user));
      for (const user of users) {
        const own = cases.filter((one) => one[0] === user);
        const items = own.map(([, action, resource]) => ({ action, resource }));
        const { body } = await call(mock, 'POST', `${authz}/evaluate-many`, { user, items });
        const served = body.items as { effect: string }[];
        for (const [at, [, action, resource, effect]] of own.entries()) {
          const subject = user === null ? ({ superuser: true } as const) : { user };
          // The replica rejects an empty action as an invalid question; the service denies it.
          const local =
            action === '' || user === '' ? 'Deny' : replica.evaluate({ ...subject, action, resource }).effect;
          const expected = action === '' && user === null ? [effect, local] : [effect, effect];
          const got = [served[at]?.effect, local];
          if (got[0] !== expected[0] || got[1] !== expected[1])
            wrong.push({ line: i + 1, user, action, resource, effect, got });
          compared++;
        }
      }
      replica.close();
    }
    expect(wrong).toEqual([]);
    expect(compared).toBe(count);
  },
  60_000,
);
