import { createClient, HttpError, isArangoServicesError, isHttpError } from 'arango-services';
import { createMock } from 'arango-services/mock';
import { createEvaluator, explain, formatExplanation, lint } from 'arango-services/policy';
import { expect } from 'vitest';
import { clientOf, failure, isPage, type Smoke } from './check.ts';

// Checks without a network: run once, with the mock in memory.

const state = {
  policies: {
    'read-orders': { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['orders:*'] }] },
    'no-secrets': { statements: [{ effect: 'Deny', actions: ['*'], resources: ['orders:secret'] }] },
  },
  roles: { viewer: { policies: ['read-orders', 'no-secrets'] } },
  bindings: [
    { user: 'alice', role: 'viewer', scope: { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } },
  ],
} as const;

const policy: readonly Omit<Smoke, 'only'>[] = [
  {
    name: 'the policy engine allows and denies',
    run() {
      const evaluator = createEvaluator(state);
      const ask = (resource: string) => evaluator.evaluate({ user: 'alice', action: 'orders:read', resource }).effect;
      expect([ask('orders:1'), ask('orders:secret'), ask('other')]).toEqual(['Allow', 'Deny', 'Deny']);
    },
  },
  {
    name: 'the policy engine explains and lints',
    run() {
      const question = { user: 'alice', action: 'orders:read', resource: 'orders:secret' };
      expect(formatExplanation(explain(createEvaluator(state), question))).toContain('no-secrets');
      expect(Array.isArray(lint(state))).toBe(true);
    },
  },
  {
    name: 'an invalid state is rejected with the path',
    run() {
      const wrong = {
        ...state,
        policies: { p: { statements: [{ effect: 'Perhaps', actions: ['*'], resources: [] }] } },
      };
      // The cast: the effect is deliberately wrong.
      expect(() => createEvaluator(wrong as unknown as typeof state)).toThrow(/statements/);
    },
  },
];

const kit: readonly Omit<Smoke, 'only'>[] = [
  {
    name: 'mock.fetch accepts a Request with a body, and an init that overrides it',
    async run() {
      const mock = await createMock({ authentication: { mode: 'None' } });
      const request = () => new Request('http://mock.test/_db/x/_echo/y', { method: 'PUT', body: '{"a":1}' });
      expect(await (await mock.fetch(request())).json()).toMatchObject({ method: 'PUT', body: { a: 1 } });
      const init = { method: 'POST', body: '[2]' };
      expect(await (await mock.fetch(request(), init)).json()).toMatchObject({ method: 'POST', body: [2] });
      // Without a file: WebKit cannot read a Request that contains one.
      const form = new FormData();
      form.append('a', 'content');
      const upload = new Request('http://mock.test/_db/x/_echo/y', { method: 'POST', body: form });
      expect(JSON.stringify(await (await mock.fetch(upload)).json())).toContain('content');
    },
  },
  {
    name: 'a route of a test returns a value or a Response',
    async run() {
      const mock = await createMock({ authentication: { mode: 'None' } });
      mock.route('POST', '/_db/:db/own/*', ({ params, query, body }) =>
        Response.json({ ...params, q: query.get('q'), body }),
      );
      const client = createClient({ ...mock.connection, database: 'shop' });
      const { body } = await client.route('own').post('a/b', { x: 1 }, { q: 'ü' });
      expect(body).toEqual({ db: 'shop', '*': 'a/b', q: 'ü', body: { x: 1 } });
    },
  },
  {
    // Node 22 warns of a leak if more than ten listeners wait for one signal.
    name: 'forty calls in flight cause no warning of the process',
    async run() {
      const warnings: unknown[] = [];
      const { process } = globalThis as { process?: Partial<NodeJS.Process> };
      const note = (warning: Error) => void warnings.push(warning.message);
      process?.on?.('warning', note);
      const mock = await createMock({ authentication: { mode: 'None' } });
      mock.fail({ path: '/', delayMs: 5, times: 40 });
      const calls = Array.from({ length: 40 }, async () => (await mock.fetch('http://mock.test/_api/version')).status);
      expect(new Set(await Promise.all(calls))).toEqual(new Set([200]));
      // A warning is emitted in a later tick.
      await new Promise((resolve) => setTimeout(resolve, 10));
      process?.off?.('warning', note);
      expect(warnings).toEqual([]);
    },
  },
  {
    name: 'a token ends by the clock or a revocation, and forged ones are never valid',
    async run() {
      const mock = await createMock();
      const { authentication } = createClient(mock.connection);
      const valid = async (token: string) => (await authentication.validate(token)).valid;
      const token = await mock.tokens.issue({ user: 'alice', lifetime: '10m' });
      expect(await valid(token)).toBe(true);
      mock.clock.advance('11m');
      expect(await valid(token)).toBe(false);
      const other = await mock.tokens.issue({ user: 'alice' });
      mock.tokens.revoke(other);
      expect(await valid(other)).toBe(false);
      expect(await valid(await mock.tokens.forge({ wrongKey: true }))).toBe(false);
    },
  },
  {
    name: 'keys rotate, and the old one still verifies',
    async run(platform) {
      const client = clientOf(platform);
      const mock = await createMock();
      const { authentication } = createClient(mock.connection);
      const token = await mock.tokens.issue({ user: 'alice' });
      await mock.keys.rotate();
      expect(await authentication.validate(token)).toMatchObject({ valid: true });
      expect((await client.authentication.keys()).keys).toHaveLength(1);
    },
  },
  {
    name: 'a snapshot restores everything, and cuts requests in flight',
    async run() {
      const mock = await createMock({ authentication: { mode: 'None' } });
      const start = mock.snapshot();
      mock.route('GET', '/_db/:db/slow', () => new Promise<never>(() => {}));
      const pending = failure(mock.fetch('http://mock.test/_db/x/slow'));
      await mock.waitFor({ path: '/slow' }, { timeout: 50 }).catch(() => {});
      mock.restore(start);
      expect((await pending).name).toBe('TypeError');
      expect((await mock.fetch('http://mock.test/_db/x/slow')).status).toBe(404);
    },
  },
  {
    name: 'waitFor and onRequest receive requests',
    async run() {
      const mock = await createMock({ authentication: { mode: 'None' } });
      const heard: string[] = [];
      mock.onRequest(({ path }) => heard.push(path));
      const waiting = mock.waitFor({ path: '/_echo/x' });
      await mock.fetch('http://mock.test/_db/shop/_echo/x');
      expect([(await waiting).status, heard]).toEqual([200, ['/_db/shop/_echo/x']]);
    },
  },
  {
    name: 'two mocks are independent',
    async run() {
      const [one, two] = [await createMock(), await createMock()];
      const token = await one.tokens.issue({ user: 'alice' });
      const validate = async (mock: typeof one) =>
        (await createClient(mock.connection).authentication.validate(token)).valid;
      expect([await validate(one), await validate(two)]).toEqual([true, false]);
    },
  },
  {
    name: 'a mock ends when disposed, by any symbol that the engine has',
    async run() {
      const mock = await createMock();
      const symbol: symbol = Symbol.asyncDispose ?? Symbol.for('Symbol.asyncDispose');
      await (mock as unknown as Record<symbol, () => Promise<void>>)[symbol]?.(); // Older engines lack this symbol.
      expect((await failure(mock.fetch('http://mock.test/_api/version'))).name).toBe('TypeError');
    },
  },
];

const errors: readonly Omit<Smoke, 'only'>[] = [
  {
    name: 'guards know an error by its brand',
    async run(platform) {
      const error = await failure(clientOf(platform).route('nowhere').get());
      expect([error instanceof HttpError, isHttpError(error), isArangoServicesError(error)]).toEqual([
        true,
        true,
        true,
      ]);
      expect([isHttpError(new Error('HTTP')), isHttpError(undefined)]).toEqual([false, false]);
      expect(JSON.parse(JSON.stringify(error))).toMatchObject({ code: 'HTTP', status: 404 });
    },
  },
  {
    name: 'a browser page is recognized',
    run() {
      expect(isPage()).toBe('window' in globalThis && 'document' in globalThis);
    },
  },
];

export const localChecks: readonly Smoke[] = [...policy, ...kit, ...errors].map((check) => ({
  ...check,
  only: 'memory',
}));
