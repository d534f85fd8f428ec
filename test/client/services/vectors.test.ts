import { describe, expect, test } from 'vitest';
import { type Client, createClient, credentials, isHttpError, isInvalidArgumentError } from '../../../src/index.ts';
import { readVectors, type Vector } from '../../support/replay.ts';

type Json = Readonly<Record<string, unknown>>;
type Step = Vector['steps'][number];

/** The call that makes a recorded request, and its result for the recorded response. */
interface Reading {
  readonly path: RegExp;
  readonly call: (client: Client, body: Json, names: readonly string[], method: string) => Promise<unknown>;
  readonly result: (body: Json) => unknown;
}

// The recorded bodies were written by hand and do not keep to the types: the clients must reject those that they
// cannot send.
const as = <T>(value: unknown): T => value as T;
const seconds = (text: unknown) => Number.parseFloat(String(text)) * 1000;
const expOf = (token: unknown): number =>
  JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString()).exp;
const decision = ({ effect, message }: Json) => ({ effect, allowed: effect === 'Allow', message });
const withUser = (user: unknown) => (user === undefined ? {} : { user });

const management = (kind: 'policies' | 'roles', word: string): Reading[] => [
  {
    path: new RegExp(`^/_management/permissions/${word}$`),
    call: async (client) => {
      const names: string[] = [];
      for await (const name of client.authorization[kind].list()) names.push(name);
      return names;
    },
    result: ({ names }) => names,
  },
  {
    path: new RegExp(`^/_management/permissions/${word}/([^/]+)$`),
    call: (client, { item }, [name = ''], method) => {
      if (method === 'GET') return client.authorization[kind].get(name);
      if (method === 'DELETE') return client.authorization[kind].delete(name);
      return client.authorization[kind][method === 'PUT' ? 'update' : 'create'](name, as(item));
    },
    result: ({ name, index, item }) => (item === null ? { name, index } : { name, index, item }),
  },
];

/** A token with neither a user nor groups is the superuser's. */
const withSuperuser = ({ user, groups }: { user?: string; groups: string[] }) =>
  typeof user === 'string' || groups.length > 0 ? {} : { superuser: true };

const readings: readonly Reading[] = [
  {
    path: /\/authn\/v1\/validate$/,
    call: ({ authentication }, { token }) => authentication.validate(as(token)),
    result: ({ isValid, message, details }) =>
      isValid
        ? {
            valid: true,
            ...withUser(as<Json>(details).user),
            groups: as<Json>(details).groups,
            ...withSuperuser(as<{ user?: string; groups: string[] }>(details)),
            lifetimeMs: seconds(as<Json>(details).lifetime),
          }
        : { valid: false, reason: message },
  },
  {
    path: /\/authn\/v1\/createToken$/,
    call: ({ authentication }, body) => authentication.createToken(as(body)),
    result: ({ token, user, groups, lifetime }) => ({
      token,
      ...withUser(user),
      groups,
      lifetimeMs: seconds(lifetime),
      expiresAt: token === '' ? expect.any(Date) : new Date(expOf(token) * 1000),
    }),
  },
  {
    path: /\/authn\/v1\/login$/,
    call: ({ authentication }, { credentials: who, options }) =>
      authentication.login({ ...as<{ username: string; password: string }>(who), ...as<object>(options) }),
    result: ({ token }) => ({ token, lifetimeMs: 3_600_000, expiresAt: new Date(expOf(token) * 1000) }),
  },
  { path: /\/authn\/v1\/identity$/, call: ({ authentication }) => authentication.identity(), result: (body) => body },
  {
    path: /\/v1\/evaluate(?:-token)?$/,
    call: ({ authorization }, body) => authorization.evaluate(as(body)),
    result: decision,
  },
  {
    path: /\/v1\/evaluate(?:-token)?-many$/,
    call: ({ authorization }, body) => authorization.evaluateMany(as(body)),
    result: (body) => ({ ...decision(body), items: as<Json[]>(body.items).map(decision) }),
  },
  {
    path: /\/permissions\/validate$/,
    call: ({ authorization }, body) => authorization.checkSelf(as(body)),
    result: decision,
  },
  ...management('policies', 'policy'),
  ...management('roles', 'role'),
  {
    path: /\/permissions\/user\/([^/]+)\/role$/,
    call: ({ authorization }, _body, [user = '']) => authorization.bindings.list(user),
    result: ({ bindings }) => bindings,
  },
  {
    path: /\/permissions\/user\/([^/]+)\/role\/([^/]+)$/,
    call: ({ authorization }, { scope }, [user = '', role = ''], method) => {
      if (method === 'DELETE') return authorization.bindings.remove({ user, role });
      return authorization.bindings[method === 'PUT' ? 'replaceScope' : 'assign']({ user, role, scope: as(scope) });
    },
    result: (body) => body,
  },
  {
    path: /\/_management\/authentication\/keys$/,
    call: ({ authentication }) => authentication.keys(),
    result: (body) => body,
  },
];

const revision = expect.stringMatching(/^v1\.(?:policy|role|binding)\.\d+\.-?[\da-z]+$/);

/** The text of an escaped segment; undefined for bytes that are not UTF-8. */
function decodeUtf8(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

const areTexts = (names: readonly (string | undefined)[]): names is string[] => !names.includes(undefined);

/**
 * Makes the client send the step's request. Undefined for a request that the clients never send.
 */
async function replay(step: Step): Promise<{ expected: unknown; actual: unknown } | undefined> {
  const { method, path, body } = step.request;
  const reading = readings.find((one) => one.path.test(path));
  const answered = step.response.body as Json;
  if (reading === undefined || step.request.raw !== undefined || (method === 'POST' && path.endsWith('/keys')))
    return undefined;
  const sent: { method: string | undefined; path: string }[] = [];
  const client = createClient({
    url: 'http://recorded.test',
    retry: 0,
    credentials: credentials.bearer('token'),
    fetch: async (url, init) => {
      sent.push({ method: init.method, path: new URL(url).pathname });
      // A list requests its next page.
      return Response.json(sent.length === 1 ? answered : { names: [] }, { status: step.response.status });
    },
  });
  // The client takes names as text, which the bytes of some recorded paths are not.
  const names = (reading.path.exec(path) ?? []).slice(1).map(decodeUtf8);
  if (!areTexts(names)) return undefined;
  const actual = await reading.call(client, (body ?? {}) as Json, names, method).catch((error: unknown) => error);
  if (isInvalidArgumentError(actual) || sent[0]?.method !== method) return undefined;
  expect(sent[0]).toEqual({ method, path });
  if (step.response.status >= 400) {
    return {
      expected: [step.response.status, answered.code],
      actual: isHttpError(actual) ? [actual.status, actual.grpcCode] : actual,
    };
  }
  const expected = reading.result(answered);
  // The client adds the revision of a version.
  return { expected: answered.index === undefined ? expected : { ...(expected as Json), revision }, actual };
}

// Without those whose headers, queries and encodings no client of this package sends.
const vectors = readVectors('vectors').filter(({ name }) => !/^fuzz-(?:headers|paths)\//.test(name));

describe('the client over recorded answers of the real services', () => {
  let replayed = 0;
  test.each(vectors.map((vector) => [vector.name, vector] as const))(
    'returns what the answers say: %s',
    async (_name, { steps }) => {
      for (const [index, step] of steps.entries()) {
        const done = await replay(step);
        if (done === undefined) continue;
        replayed++;
        expect(done.actual, `step ${index + 1}: ${step.request.method} ${step.request.path}`).toEqual(done.expected);
      }
    },
  );

  test('lists names through the recorded pages', async () => {
    const paging = readVectors('vectors').find(({ name }) => name === 'management/paging');
    const asked: string[] = [];
    const { authorization } = createClient({
      url: 'http://recorded.test',
      fetch: async (url) => {
        const { pathname, search } = new URL(url);
        asked.push(search);
        return Response.json(paging?.steps.find(({ request }) => request.path === pathname + search)?.response.body);
      },
    });
    const names: string[] = [];
    for await (const name of authorization.policies.list()) names.push(name);
    expect(names).toEqual(Array.from({ length: 300 }, (_, index) => `p${String(index).padStart(3, '0')}`));
    expect(asked).toEqual(['?page=1', '?page=2', '?page=3']);
  });

  test('replays more than 500 vectors', () => {
    expect(replayed).toBeGreaterThan(500);
  });
});
