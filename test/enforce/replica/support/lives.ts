import fc from 'fast-check';
import { expect } from 'vitest';
import { createReplica } from '../../../../src/enforce/replica/index.ts';
import { createEvaluator, type Evaluator, type Policy, type Role } from '../../../../src/policy/index.ts';
import { type PoolBinding, type PoolItem, type PoolKind, poolKinds } from '../../../../src/policy/pool/pool-items.ts';
import { PoolService, stateOf } from './pool-service.ts';
import { everywhere } from './scripted-pool.ts';
import { pass } from './services.ts';

// Lives of a service with cuts, restored backups and takeovers, followed by a replica. While the replica is live, it
// must not allow for longer than its bound what the newest state of the service denies.

type Step =
  | { readonly does: 'write'; readonly kind: PoolKind; readonly name: number; readonly content: number }
  | { readonly does: 'churn'; readonly kind: PoolKind }
  | { readonly does: 'save' | 'restore' | 'takeover' | 'cut' | 'freeze' | 'refuse' | 'suspend' };

/** An event, and the delay until the next one. */
interface Event {
  readonly step: Step;
  readonly waitMs: number;
}

const rarely = (...does: ('save' | 'restore' | 'takeover' | 'cut' | 'freeze' | 'refuse' | 'suspend')[]) =>
  fc.constantFrom(...does).map((one): Step => ({ does: one }));

const stepArb: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      does: fc.constant('write' as const),
      kind: fc.constantFrom(...poolKinds),
      name: fc.nat({ max: 2 }),
      content: fc.nat({ max: 3 }),
    }),
  },
  { weight: 5, arbitrary: rarely('save', 'restore', 'takeover', 'cut') },
  { weight: 1, arbitrary: rarely('freeze', 'refuse', 'suspend') },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('churn' as const), kind: fc.constantFrom(...poolKinds) }) },
);

/** A life of a service. */
export const lifeArb: fc.Arbitrary<readonly Event[]> = fc.array(
  fc.record({ step: stepArb, waitMs: fc.oneof(fc.nat({ max: 300 }), fc.nat({ max: 20_000 })) }),
  { minLength: 10, maxLength: 25 },
);

const denied: Policy = { statements: [{ effect: 'Deny', actions: ['*'], resources: ['*'] }] };

/** A write: a deletion, or one of few contents, so that histories agree by chance. */
function contentOf(kind: PoolKind, content: number): PoolItem['item'] {
  if (content === 0) return undefined;
  if (kind === 'policies') return content === 1 ? denied : everywhere;
  if (kind === 'roles') return { policies: content === 1 ? ['0', '1'] : [String(content % 3)] };
  return { role: String(content % 3), scope: everywhere };
}

/** A binding's name ends with its role, which distinguishes the bindings of a user. */
const nameOf = (kind: PoolKind, name: number, content: number): string =>
  kind === 'bindings' || kind === 'groupBindings'
    ? `${kind === 'bindings' ? 'u' : 'g'}${name}:${content % 3}`
    : String(name);

/** About users alone, and about groups of a user without bindings. */
const questions = [0, 1, 2].flatMap((one) => [
  { user: `u${one}`, action: 'a:b', resource: 'r' },
  { user: 'stranger', roles: [`g${one}`], action: 'a:b', resource: 'r' },
]);

/** Decides like the current service. */
function evaluatorOf({ history }: PoolService): Evaluator {
  const evaluator = createEvaluator({ policies: {}, roles: {}, bindings: [] }, { fidelity: 'sidecar' });
  // The casts: an item is of its kind.
  for (const { name, item } of stateOf(history.policies)) evaluator.setPolicy(name, item as Policy);
  for (const { name, item } of stateOf(history.roles)) evaluator.setRole(name, item as Role);
  for (const { name, item } of stateOf(history.bindings)) {
    const { role, scope } = item as PoolBinding;
    evaluator.setBinding({ user: name.slice(0, -role.length - 1), role, scope });
  }
  for (const { name, item } of stateOf(history.groupBindings)) {
    const { role, scope } = item as PoolBinding;
    evaluator.setGroupBinding({ group: name.slice(0, -role.length - 1), role, scope });
  }
  return evaluator;
}

/** The numbers of allowed requests, and of checks while the replica was live. */
export interface Lived {
  readonly allowed: number;
  readonly live: number;
}

/**
 * Runs one life, and checks every half second.
 * @param boundMs how long the replica may allow what the service denies.
 */
export async function live(life: readonly Event[], boundMs: number, advance: (ms: number) => void): Promise<Lived> {
  const service = new PoolService();
  service.bindsGroups = true;
  for (const one of [0, 1, 2]) {
    service.write('policies', String(one), everywhere);
    service.write('roles', String(one), { policies: [String(one)] });
    service.write('bindings', `u${one}:${one}`, { role: String(one), scope: everywhere });
    service.write('groupBindings', `g${one}:${one}`, { role: String(one), scope: everywhere });
  }
  let saved = service.save();
  await using replica = createReplica({ transport: service });
  let [allowed, looks] = [0, 0];
  /** Since when the service denies what the replica allows, by question. */
  const since = new Map<object, number>();
  async function look(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 500) {
      await pass(Math.min(left, 500));
      const now = evaluatorOf(service);
      for (const question of questions) {
        const allows = replica.live && replica.isAllowed(question);
        if (replica.live) looks++;
        if (allows) allowed++;
        if (!allows || now.evaluate(question).allowed) since.delete(question);
        else if (!since.has(question)) since.set(question, Date.now());
        expect(Date.now() - (since.get(question) ?? Date.now())).toBeLessThanOrEqual(boundMs);
      }
    }
  }
  for (const { step, waitMs } of life) {
    if (step.does === 'write') {
      service.write(step.kind, nameOf(step.kind, step.name, step.content), contentOf(step.kind, step.content));
    } else if (step.does === 'churn') {
      for (let i = 0; i < 1_030; i++) service.write(step.kind, 'churn:0', undefined);
    } else if (step.does === 'save') saved = service.save();
    else if (step.does === 'restore') service.restore(saved);
    else if (step.does === 'takeover') service.restore(shorter(service));
    else if (step.does === 'cut') service.cut();
    else if (step.does === 'freeze') service.frozen = !service.frozen;
    else if (step.does === 'refuse') {
      service.refusal = service.refusal === undefined ? 7 : undefined;
      service.cut();
    } else advance(90_000);
    await look(waitMs);
  }
  service.frozen = false;
  service.refusal = undefined;
  await look(60_000);
  expect(replica.live).toBe(true);
  const now = evaluatorOf(service);
  for (const question of questions) expect(replica.isAllowed(question)).toBe(now.evaluate(question).allowed);
  return { allowed, live: looks };
}

/** Another service: the same writes except the last but one of each kind, so that their newest items may agree. */
function shorter(service: PoolService): ReturnType<PoolService['save']> {
  const without = (items: readonly PoolItem[]) =>
    items.filter((_, i) => i !== items.length - 2).map((item, i) => ({ ...item, index: i + 1 }));
  const { policies, roles, bindings, groupBindings } = service.save();
  return {
    policies: without(policies),
    roles: without(roles),
    bindings: without(bindings),
    groupBindings: without(groupBindings),
  };
}
