import fc from 'fast-check';
import { expect } from 'vitest';
import { createGuard, type Guard, verifyToken } from '../../../src/enforce/guard/index.ts';
import { createClient } from '../../../src/index.ts';
import { createMock, type Mock } from '../../../src/mock/index.ts';
import {
  createEvaluator,
  type EvaluationItem,
  type EvaluatorSubject,
  type Fidelity,
} from '../../../src/policy/index.ts';
import { requestFor, type State, stateArb } from '../../policy/support/arbitrary.ts';

const secret = 'the secret of the tests, which is long enough';
const perState = 100;

/** A token, its owner's name in the policies (undefined: it is not valid), and the owner's questions. */
interface Caller {
  readonly token: string;
  readonly subject: EvaluatorSubject | undefined;
  readonly items: readonly EvaluationItem[];
}

/** The services keep one binding for a name, which is `user:role`. */
const sound = stateArb.map((state): State => {
  const byName = new Map(state.bindings.map((binding) => [`${binding.user}:${binding.role}`, binding]));
  return { ...state, bindings: [...byName.values()] };
});

interface World {
  readonly mock: Mock;
  readonly remote: Guard;
  readonly local: Guard;
}

/** The same policies behind a mock's HTTP and in an evaluator of this process. */
async function createWorld(state: State, fidelity: Fidelity): Promise<World> {
  const mock = await createMock({
    fidelity,
    policies: Object.fromEntries(state.policies),
    roles: Object.fromEntries(state.roles),
    bindings: state.bindings,
    authentication: { keys: { active: secret } },
    limits: { log: 1 },
  });
  return {
    mock,
    remote: createGuard(createClient(mock.connection)),
    local: createGuard(createEvaluator(state, { fidelity }), {
      authenticate: (token) => verifyToken(token, { secret }),
    }),
  };
}

/** Questions derived from a state: those of a user with this user's token, and some with another kind of token. */
async function createCallers({ tokens }: Mock, state: State, fidelity: Fidelity, seeds: number[]): Promise<Caller[]> {
  const requests = seeds.map((seed) => requestFor(state, seed)).filter(({ action }) => action !== '');
  const items = requests.map(({ action, resource }) => ({ action, resource }));
  const callers: Caller[] = [];
  for (const user of new Set(requests.map((request) => request.user))) {
    const own = requests.filter((request) => request.user === user);
    const groups = own.find(({ roles }) => roles !== undefined)?.roles ?? [];
    callers.push({
      token: await tokens.issue({ user, groups }),
      subject: { user, roles: groups },
      items: own.map(({ action, resource }) => ({ action, resource })),
    });
  }
  const [{ user = 'u', roles = [] } = {}] = requests;
  const flaw = (['expired', 'notYetValid', 'wrongKey', 'none'] as const)[(seeds[0] ?? 0) % 4] ?? 'none';
  callers.push({ token: await tokens.forge({ user, [flaw]: true }), subject: undefined, items: items.slice(0, 5) });
  callers.push({
    token: await tokens.issue({ user: null }),
    subject: { superuser: true },
    items: items.slice(0, 5),
  });
  // The rights of a token with groups and without a user differ in sidecar fidelity, where groups do not count.
  if (fidelity === 'documented' && roles.length > 0) {
    callers.push({ token: await tokens.issue({ user: null, groups: roles }), subject: { roles }, items });
  }
  return callers;
}

/**
 * Asks both guards and the mock about random policies and tokens; fails if they disagree. The outcomes of few
 * questions may all be of one kind, so a short run uses a fixed `seed`.
 */
export async function compareGuards(questions: number, seed?: number): Promise<void> {
  const seen = { asked: 0, allow: 0, deny: 0, unknown: 0 };
  const judge = async ({ mock, remote, local }: World, { token, subject, items }: Caller) => {
    const headers = { authorization: `Bearer ${token}` };
    const effects = items.map((item) => subject && mock.explain({ ...subject, ...item }).decision.effect);
    const status = subject === undefined ? 401 : 200;
    for (const guard of [remote, local]) {
      const access = await guard.checkMany(headers, items);
      expect(access.status).toBe(status);
      if (subject) expect(access.items?.map(({ allowed }) => (allowed ? 'Allow' : 'Deny'))).toEqual(effects);
      const [first] = items;
      if (first === undefined) continue;
      expect((await guard.check(headers, first)).status).toBe(effects[0] === 'Deny' ? 403 : status);
    }
    seen.asked += items.length;
    for (const effect of effects) seen[effect === undefined ? 'unknown' : effect === 'Allow' ? 'allow' : 'deny']++;
  };
  const seeds = fc.array(fc.nat(), { minLength: perState, maxLength: perState });
  const fidelities = fc.constantFrom<Fidelity[]>('documented', 'documented', 'sidecar');
  await fc.assert(
    fc.asyncProperty(fidelities, sound, seeds, async (fidelity, state, numbers) => {
      const world = await createWorld(state, fidelity);
      await using _ = world.mock;
      for (const caller of await createCallers(world.mock, state, fidelity, numbers)) await judge(world, caller);
    }),
    { numRuns: Math.ceil(questions / perState), endOnFailure: true, ...(seed !== undefined && { seed }) },
  );
  console.log(`guards: ${JSON.stringify(seen)}`);
  expect(seen.asked).toBeGreaterThanOrEqual(questions);
  for (const count of [seen.allow, seen.deny]) expect(count / seen.asked).toBeGreaterThan(0.2);
  expect(seen.unknown).toBeGreaterThan(0);
}
