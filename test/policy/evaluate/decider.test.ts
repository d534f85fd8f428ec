import { describe, expect, test } from 'vitest';
import { Connection } from '../../../src/client/connection/connection.ts';
import { AuthorizationClient } from '../../../src/client/services/authorization/authorization-client.ts';
import { createEvaluator, type Decider, type Evaluator, type EvaluatorBatch } from '../../../src/policy/index.ts';
import { denied, everywhere, granted, state } from '../support/fixtures.ts';

const read = { action: 'orders:read', resource: 'a' };
const write = { action: 'orders:write', resource: 'a' };
const some = { effect: 'Deny', allowed: false, message: 'One of the requests has been denied' };
const none = { effect: 'Deny', allowed: false, message: 'Missing permission evaluation items', items: [] };

test('the evaluator and the client are deciders, by their types too', async () => {
  const fetch = async (url: string | URL | Request) => {
    const many = String(url instanceof Request ? url.url : url).endsWith('-many');
    const one = { effect: 'Allow', message: 'Access Granted' };
    return Response.json(many ? { ...one, items: [one] } : one);
  };
  const client = new AuthorizationClient(new Connection({ url: 'http://services.test', fetch }));
  const deciders: readonly Decider[] = [createEvaluator(state), client];
  for (const decider of deciders) {
    expect(await decider.evaluate({ user: 'alice', ...read })).toEqual(granted);
    expect(await decider.evaluateMany({ user: 'alice', items: [read] })).toEqual({ ...granted, items: [granted] });
  }
});

describe('evaluateMany', () => {
  const evaluator = createEvaluator(state);

  test('decides each item in order, and allows only if every item is allowed', () => {
    const many = (...items: (typeof read)[]) => evaluator.evaluateMany({ user: 'alice', items });
    expect(many(read, read)).toEqual({ ...granted, items: [granted, granted] });
    expect(many(read, write, read)).toEqual({ ...some, items: [granted, denied, granted] });
    expect(many(write)).toEqual({ ...some, items: [denied] });
    expect(many()).toEqual(none);
  });

  test('accepts roles and the superuser like evaluate', () => {
    expect(evaluator.evaluateMany({ roles: ['viewer'], items: [read] }).allowed).toBe(true);
    expect(evaluator.evaluateMany({ user: '', roles: ['viewer'], items: [read] }).allowed).toBe(false);
    const all = { effect: 'Allow', message: 'Superuser Allowed', allowed: true };
    expect(evaluator.evaluateMany({ superuser: true, items: [write] })).toEqual({ ...granted, items: [all] });
  });

  test.each([[undefined], [null], [5], [{}], [{ user: 'alice' }], [{ user: 'alice', items: { 0: read, length: 1 } }]])(
    '%j has no items',
    (request) => {
      // The cast: a value that JavaScript callers may pass.
      expect(evaluator.evaluateMany(request as unknown as EvaluatorBatch)).toEqual(none);
    },
  );

  test('denies an invalid item', () => {
    for (const items of [[undefined], [null], ['orders:read'], new Array(1)]) {
      const { allowed, items: decisions } = evaluator.evaluateMany({ user: 'alice', items } as never);
      expect([allowed, decisions]).toEqual([false, [denied]]);
    }
  });
});

test.each([[undefined], [null], [5], ['alice'], [[]], [() => 0], [Symbol('x')]])(
  'evaluate(%o) is denied',
  (request) => {
    expect(createEvaluator(state).evaluate(request as never)).toEqual(denied);
    expect((createEvaluator(state).evaluate as () => unknown).call(createEvaluator(state))).toEqual(denied);
  },
);

describe('a polluted Object.prototype', () => {
  const all = createEvaluator({
    policies: { p: everywhere },
    roles: { r: { policies: ['p'] } },
    bindings: [{ user: 'u', role: 'r', scope: everywhere }],
  });

  /** Evaluates while every object inherits a field. */
  function polluted(key: string, value: unknown, ask: (evaluator: Evaluator) => unknown): unknown {
    Object.defineProperty(Object.prototype, key, { value, configurable: true, writable: true });
    try {
      return ask(all);
    } finally {
      delete (Object.prototype as Record<string, unknown>)[key];
    }
  }

  const question = { action: 'a:b', resource: 'x' };
  test.each([
    ['superuser', true, question],
    ['user', 'u', question],
    ['user', 'u', { ...question, superuser: false }],
    ['roles', ['r'], question],
    ['roles', ['r'], { ...question, user: 'nobody' }],
    ['action', 'a:b', { user: 'u', resource: 'x' }],
    ['resource', 'x', { user: 'u', action: 'a:b' }],
    ['0', 'r', { ...question, roles: new Array(1) }],
  ])('never allows through an inherited %s', (key, value, request) => {
    expect(polluted(key, value, (evaluator) => evaluator.evaluate(request as never))).toEqual(denied);
    const { action, resource, ...subject } = { action: undefined, resource: undefined, ...request };
    const item = JSON.parse(JSON.stringify({ action, resource }));
    const many = polluted(key, value, (evaluator) => evaluator.evaluateMany({ ...subject, items: [item] } as never));
    expect(many).toEqual({ ...some, items: [denied] });
  });

  test('provides no items either, and takes nothing from objects with own fields', () => {
    expect(polluted('items', [question], (evaluator) => evaluator.evaluateMany({ user: 'u' } as never))).toEqual(none);
    const own = { user: 'u', ...question };
    for (const key of ['user', 'roles', 'superuser', 'action', 'resource', 'items', 'context']) {
      expect(polluted(key, 'other', (evaluator) => evaluator.evaluate(own))).toEqual(granted);
    }
  });

  test('inherited fields never count; those of a class do', () => {
    class Ask {
      readonly user = 'u';
      readonly action = 'a:b';
      readonly resource = 'x';
    }
    expect(all.evaluate(new Ask())).toEqual(granted);
    expect(all.evaluate(Object.assign(Object.create(null), { user: 'u', ...question }))).toEqual(granted);
    expect(all.evaluate(Object.create({ user: 'u', ...question }))).toEqual(denied);
  });

  test('adds nothing to a state: no policies, no scope and no effect', () => {
    const statement = { actions: ['*'], resources: ['*'] };
    const loaded = (key: string, value: unknown, state: unknown) =>
      polluted(key, value, () => createEvaluator(state as never, { fidelity: 'sidecar' })) as Evaluator;
    const policies = { p: everywhere };
    const roles = { r: { policies: ['p'] } };
    const bindings = [{ user: 'u', role: 'r', scope: everywhere }];
    const evaluators = [
      loaded('policies', policies, { roles, bindings }),
      loaded('roles', roles, { policies, bindings }),
      loaded('bindings', bindings, { policies, roles }),
      loaded('scope', everywhere, { policies, roles, bindings: [{ user: 'u', role: 'r' }] }),
      loaded('user', 'u', { policies, roles, bindings: [{ role: 'r', scope: everywhere }] }),
      loaded('role', 'r', { policies, roles, bindings: [{ user: 'u', scope: everywhere }] }),
      loaded('statements', everywhere.statements, { policies: { p: {} }, roles, bindings }),
      loaded('effect', 'Allow', { policies: { p: { statements: [statement] } }, roles, bindings }),
      loaded('actions', ['*'], {
        policies: { p: { statements: [{ effect: 'Allow', resources: ['*'] }] } },
        roles,
        bindings,
      }),
      loaded('resources', ['*'], {
        policies: { p: { statements: [{ effect: 'Allow', actions: ['*'] }] } },
        roles,
        bindings,
      }),
      loaded('0', '*', {
        policies: { p: { statements: [{ ...statement, effect: 'Allow', actions: new Array(1) }] } },
        roles,
        bindings,
      }),
    ];
    for (const [i, evaluator] of evaluators.entries()) {
      expect([i, evaluator.evaluate({ user: 'u', ...question })]).toEqual([i, denied]);
    }
    // An inherited effect does not make a scope equal to one that allows.
    const shared = {
      policies,
      roles,
      bindings: [...bindings, { user: 'v', role: 'r', scope: { statements: [statement] } }],
    };
    expect(loaded('effect', 'Allow', shared).evaluate({ user: 'v', ...question })).toEqual(denied);
    // Inherited fields do not make all scopes equal, either.
    const narrow = { statements: [{ ...statement, effect: 'Allow', resources: ['y'] }] };
    const two = { policies, roles, bindings: [...bindings, { user: 'v', role: 'r', scope: narrow }] };
    expect(loaded('toJSON', () => 'x', two).evaluate({ user: 'v', ...question })).toEqual(denied);
    expect(() => polluted('scope', everywhere, () => createEvaluator({ bindings: [{ user: 'u' } as never] }))).toThrow(
      'role',
    );
  });
});

test('rejects an unknown fidelity', () => {
  for (const fidelity of ['observed', 'toString', '']) {
    expect(() => createEvaluator({}, { fidelity: fidelity as never })).toThrow(
      `Invalid policy state: fidelity: expected one of documented, sidecar, got ${fidelity ? 'a' : 'an empty'} string`,
    );
  }
});

test('rejects unknown options', () => {
  expect(() => createEvaluator({}, { fidelty: 'sidecar' } as never)).toThrow(
    'Invalid policy state: fidelty: unknown (did you mean "fidelity"?); accepted are fidelity',
  );
  expect(() => createEvaluator({}, null as never)).toThrow('options: expected an object, got null');
});
