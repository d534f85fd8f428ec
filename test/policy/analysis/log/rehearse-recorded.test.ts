import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { rehearse } from '../../../../src/policy/analysis/index.ts';
import { readDecisions } from '../../../../src/policy/decisions/index.ts';
import type { PolicyState } from '../../../../src/policy/index.ts';

interface Recorded {
  readonly state: PolicyState;
  readonly began: readonly string[];
  readonly steps: readonly {
    readonly request: { readonly path: string; readonly body?: Asked & { readonly items?: readonly Asked[] } };
    readonly response: { readonly effect?: string; readonly items?: readonly { readonly effect: string }[] };
    readonly log: readonly string[];
  }[];
}
interface Asked {
  readonly user?: string;
  readonly action: string;
  readonly resource: string;
}

const read = (file: string): Recorded =>
  JSON.parse(readFileSync(new URL(`../../../vectors/logs/${file}`, import.meta.url), 'utf8'));

test.each([
  'central-permissive-json-info.json',
  'central-permissive-json-debug.json',
  'central-permissive-pretty-info.json',
])('the lines of %s predict the recorded answers of central, all of them', async (file) => {
  const { state, began, steps } = read(file);
  // Later steps change the permissions.
  const asking = steps.filter(({ request }) => /\/evaluate(?:-many)?$/.test(request.path));
  const lines = [...began, ...asking.flatMap(({ log }) => log)].map((line) => `${line}\n`).join('');
  const { denied, change, notGranted } = await rehearse(readDecisions(new Blob([lines]).stream()), state);
  const keyOf = (user: string, { action, resource }: Asked) => JSON.stringify([user, action, resource]);
  const predicted = new Set(
    denied.groups.flatMap(({ questions }) => questions.map((one) => keyOf(one.subject.user ?? '', one))),
  );
  const central = read('central-json-info.json').steps;
  const seen = { Allow: 0, Deny: 0 };
  for (const { request } of asking) {
    const answered = central.find((one) => JSON.stringify(one.request) === JSON.stringify(request))?.response;
    const { user, items, ...asked } = request.body ?? { action: '', resource: '' };
    if (user === undefined) continue;
    for (const [i, item] of (items ?? [asked]).entries()) {
      const effect = items === undefined ? answered?.effect : answered?.items?.[i]?.effect;
      expect([keyOf(user, item), predicted.has(keyOf(user, item)) ? 'Deny' : 'Allow']).toEqual([
        keyOf(user, item),
        effect,
      ]);
      seen[effect === 'Allow' ? 'Allow' : 'Deny'] += 1;
    }
  }
  expect(seen.Allow).toBeGreaterThan(3);
  expect(seen.Deny).toBeGreaterThan(30);
  expect([denied.count, change.isExact]).toEqual([seen.Deny, true]);
  expect(new Set(notGranted.map(({ reason }) => reason))).toContain('explicit-deny');
});
