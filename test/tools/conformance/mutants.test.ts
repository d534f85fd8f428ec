import { expect, test } from 'vitest';
import type { MockConfig } from '../../../src/mock/index.ts';
import type { PoolItem, PoolTransport } from '../../../src/policy/pool/pool-items.ts';
import type { ConformanceOptions, DeploymentSettings } from '../../../src/tools/conformance/index.ts';
import { type SentenceName, sentences } from '../../../src/tools/conformance/sentences.ts';
import { casesOf } from '../../support/thorough.ts';
import { type Changeable, checkFaulty, type Fault, type Loose, type Seen, settings } from './support/faulty.ts';

// Faulty deployments, each the mock changed in one place.

interface Mutant extends Fault {
  readonly what: string;
  readonly says: SentenceName;
  readonly write?: true;
  readonly config?: MockConfig;
  readonly expected?: Partial<DeploymentSettings>;
}

const claimsOf = (token: unknown): Loose => {
  try {
    return JSON.parse(Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString());
  } catch {
    return {};
  }
};
const bearerOf = ({ headers }: Seen) => headers.get('authorization')?.slice(7);
const at = (seen: Seen, end: string) => seen.path.endsWith(end);
const valid = { isValid: true, message: '', details: { lifetime: '60s', user: 'x', groups: [] } };
const isManaged = ({ path }: Seen) => path.startsWith('/_management/permissions/policy');
const succeed = (answer: Changeable, body: object) => {
  answer.status = 200;
  answer.headers.delete('www-authenticate');
  answer.body = body;
};

/** Changes the messages of each stream of one kind of call. */
const streaming =
  (isChanges: boolean, change: (items: readonly PoolItem[]) => readonly PoolItem[]) =>
  (transport: PoolTransport): PoolTransport => ({
    ...transport,
    async *open(call, authorization, signal) {
      for await (const items of transport.open(call, authorization, signal)) {
        yield (call.changes !== undefined) === isChanges ? change([...items]) : items;
      }
    },
  });

const ecKey = async (): Promise<string> => {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const bytes = Buffer.from(await crypto.subtle.exportKey('pkcs8', pair.privateKey)).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${bytes}\n-----END PRIVATE KEY-----\n`;
};

const answers: readonly Mutant[] = [
  {
    what: 'unknown paths are 400',
    says: 'unknownPath',
    answer: (a) => void (a.status === 404 && a.body?.message === 'Not Found' && Object.assign(a, { status: 400 })),
  },
  {
    what: 'other methods are 405',
    says: 'otherMethod',
    answer: (a) => void (a.status === 501 && Object.assign(a, { status: 405 })),
  },
  {
    what: 'paths are compared in any case',
    says: 'exactPaths',
    answer: async (a, s, again) => {
      if (at(s, '/IDENTITY')) Object.assign(a, await again({ path: s.path.toLowerCase() }));
    },
  },
  {
    what: 'identity words its refusal otherwise',
    says: 'identity',
    answer: (a, s) => void (at(s, '/identity') && a.status === 401 && Object.assign(a.body, { message: 'No token' })),
  },
  {
    what: 'a question with a context is denied',
    says: 'context',
    answer: (a, s) => void (s.json?.context && a.body?.effect && Object.assign(a.body, { effect: 'Deny' })),
  },
  {
    what: 'an empty resource is allowed',
    says: 'nothingMatches',
    answer: (a, s) => void (s.json?.resource === '' && a.body?.effect && Object.assign(a.body, { effect: 'Allow' })),
  },
  {
    what: 'a 401 has no WWW-Authenticate',
    says: 'unauthenticated',
    answer: (a) => a.headers.delete('www-authenticate'),
  },
  { what: 'errors have no details', says: 'errors', answer: (a) => void (a.status >= 400 && delete a.body?.details) },
  { what: 'answers are text', says: 'json', answer: (a) => a.headers.set('content-type', 'text/plain') },
  {
    what: 'validate leaves out groups',
    says: 'validate',
    answer: (a, s) => void (at(s, '/validate') && delete a.body?.details?.groups),
  },
  {
    what: 'expired tokens are valid',
    says: 'noLeeway',
    answer: (a, s) => {
      const { exp } = claimsOf(s.json?.token);
      if (at(s, 'v1/validate') && exp < Date.now() / 1_000 - 600 && exp > 0) succeed(a, valid);
    },
  },
  {
    what: 'there is a leeway of a minute',
    says: 'noLeeway',
    answer: (a, s) => {
      const { exp } = claimsOf(s.json?.token);
      if (at(s, 'v1/validate') && Math.abs(exp - Date.now() / 1_000) < 60) succeed(a, valid);
    },
  },
  {
    what: 'unsigned tokens are valid',
    says: 'keysAlgorithm',
    answer: (a, s) => void (at(s, 'v1/validate') && String(s.json?.token).endsWith('.') && succeed(a, valid)),
  },
  {
    what: 'the issuer is checked',
    says: 'issuer',
    answer: (a, s) =>
      void (
        at(s, 'v1/validate') &&
        claimsOf(s.json?.token).iss === 'verify' &&
        Object.assign(a, { body: { isValid: false, message: 'issuer' } })
      ),
  },
  {
    what: 'cookies identify',
    says: 'identity',
    answer: (a, s) => void (at(s, 'v1/identity') && s.headers.has('cookie') && succeed(a, { user: '' })),
  },
  {
    what: 'identity takes Bearer',
    says: 'anyScheme',
    answer: (a, s) =>
      void (at(s, 'v1/identity') && s.headers.get('authorization')?.startsWith('Bearer') && succeed(a, { user: '' })),
  },
  {
    what: 'lifetimes are not clamped',
    says: 'lifetimes',
    answer: (a, s) =>
      void (at(s, '/createToken') && s.json?.lifetime === '1s' && Object.assign(a.body, { lifetime: '1s' })),
  },
  {
    what: 'createToken leaves out groups',
    says: 'createToken',
    answer: (a, s) => void (at(s, '/createToken') && delete a.body?.groups),
  },
  {
    what: 'hours are taken',
    says: 'hours',
    answer: async (a, s, again) => {
      if (s.json?.lifetime === '1h') Object.assign(a, await again({ body: { ...s.json, lifetime: '3600s' } }));
    },
  },
  {
    what: 'tokens have no issuer',
    says: 'claims',
    answer: (a, s) => {
      if (at(s, '/createToken') && a.status === 200) {
        const [h, , sig] = a.body.token.split('.');
        const { iss: _, ...rest } = claimsOf(a.body.token);
        a.body.token = `${h}.${Buffer.from(JSON.stringify(rest)).toString('base64url')}.${sig}`;
      }
    },
  },
  {
    what: 'login refuses with 403',
    says: 'login',
    answer: (a, s) => void (at(s, '/login') && a.status === 401 && Object.assign(a, { status: 403 })),
  },
  {
    what: 'logout sets no cookie',
    says: 'logout',
    answer: (a, s) => void (at(s, '/logout') && a.headers.delete('set-cookie')),
  },
  {
    what: 'a missing user is denied',
    says: 'missingUser',
    answer: (a, s) =>
      void (
        at(s, '/evaluate') &&
        s.json?.user === undefined &&
        Object.assign(a, { body: { message: 'Permission denied', effect: 'Deny' } })
      ),
  },
  {
    what: 'the context counts',
    says: 'context',
    answer: (a, s) =>
      void (s.json?.context && Object.assign(a, { body: { message: 'Access Granted', effect: 'Allow' } })),
  },
  {
    what: 'JSON names a charset',
    says: 'json',
    answer: (a) => void (a.status === 200 && a.headers.set('content-type', 'application/json; charset=utf-8')),
  },
  {
    what: 'identity also tells groups',
    says: 'identity',
    answer: (a, s) => void (at(s, '/identity') && a.status === 200 && Object.assign(a.body, { groups: [] })),
  },
  {
    what: 'the number of items is a text',
    says: 'list',
    answer: (a, s) => void (isManaged(s) && a.body?.page && Object.assign(a.body.page, { items: '5' })),
  },
  {
    what: 'names of a page are in reverse order',
    says: 'list',
    answer: (a, s) => void (isManaged(s) && a.body?.names?.reverse()),
  },
  {
    what: 'a page below 1 is refused',
    says: 'list',
    answer: (a, s) => void (Number(s.query.get('page')) < 0 && Object.assign(a, { status: 400, body: {} })),
  },
  {
    what: 'a batch is cut after twenty items',
    says: 'segments',
    answer: (a, s) => void (at(s, '/evaluate-many') && a.body?.items?.splice(20)),
  },
  {
    what: 'a denial has no message',
    says: 'nothingMatches',
    answer: (a) => void (a.body?.effect === 'Deny' && delete a.body.message),
  },
  {
    what: 'logout redirects with 307',
    says: 'logout',
    answer: (a) => void (a.status === 302 && Object.assign(a, { status: 307 })),
  },
  {
    what: 'descriptions of policies are left out',
    says: 'get',
    answer: (a, s) => void (isManaged(s) && delete a.body?.item?.description),
  },
  {
    what: 'names of users are compared in any case',
    says: 'codePoint',
    write: true,
    answer: async (a, s, again) => {
      if (at(s, '/evaluate-many') && typeof s.json?.user === 'string')
        Object.assign(a, await again({ body: { ...s.json, user: s.json.user.toLowerCase() } }));
    },
  },
  {
    what: 'an empty action is allowed',
    says: 'emptyAction',
    answer: (a, s) =>
      void (s.json?.action === '' && Object.assign(a, { body: { message: 'Access Granted', effect: 'Allow' } })),
  },
  {
    what: 'the items of a batch are reversed',
    says: 'evaluateMany',
    answer: (a, s) => void (at(s, '/evaluate-many') && a.body?.items?.reverse()),
  },
  {
    what: 'a bad token of evaluate is 401',
    says: 'evaluateToken',
    answer: (a, s) => void (at(s, '/evaluate-token') && a.status === 400 && Object.assign(a, { status: 401 })),
  },
  {
    what: 'malformed JSON is 500',
    says: 'wrongBodies',
    answer: (a, s) => void (a.status === 400 && s.json === undefined && Object.assign(a, { status: 500 })),
  },
  {
    what: 'duplicate fields are taken',
    says: 'duplicateField',
    answer: (a) =>
      void (
        a.body?.message?.includes('duplicate field') && succeed(a, { message: 'Permission denied', effect: 'Deny' })
      ),
  },
  {
    what: 'pages begin with the second item',
    says: 'list',
    answer: async (a, s, again) => {
      if (isManaged(s) && s.query.get('itemsPerPage') === '2' && a.status === 200) {
        const all = await again({ path: s.path });
        const page = Number(s.query.get('page'));
        if (page > 0) a.body.names = all.body.names.slice(page * 2 - 1, page * 2 + 1);
      }
    },
  },
  {
    what: 'a policy that is missing is another one',
    says: 'get',
    answer: (a) => void (a.body?.message === 'Policy not found' && Object.assign(a.body, { message: 'Not there' })),
  },
  {
    what: 'Bearer in capitals is refused',
    says: 'bearer',
    answer: (a, s) => {
      if (s.headers.get('authorization')?.startsWith('BEARER'))
        Object.assign(a, { status: 401, body: { code: 16, message: 'Unauthorized', details: [] } });
    },
  },
  {
    what: 'keys need no token',
    says: 'publishedKeys',
    answer: (a, s) => void (at(s, '/keys') && succeed(a, { keys: [], checksum: '' })),
  },
  {
    what: 'forwarded headers do not count',
    says: 'forwardedHeader',
    answer: (a, s) => {
      if (s.headers.has('grpc-metadata-authorization') && bearerOf(s) === undefined)
        Object.assign(a, { status: 401, body: { code: 16, message: 'Unauthenticated', details: [] } });
    },
  },
  {
    what: 'the rest of a body is refused',
    says: 'restOfBody',
    answer: (a, s) =>
      void (s.json === undefined && a.status === 200 && at(s, '/evaluate') && Object.assign(a, { status: 400 })),
  },
];

const patterns =
  (change: (pattern: string) => string[]): NonNullable<Fault['decides']> =>
  ({ statements }) => ({
    statements: statements.map((one) => ({
      ...one,
      actions: one.actions.flatMap(change),
      resources: one.resources.flatMap(change),
    })),
  });

const decisions: readonly Mutant[] = [
  {
    what: 'a prefix needs one more character',
    says: 'segments',
    decides: patterns((p) => (p === 'orders:re*' ? ['orders:rea*'] : [p])),
  },
  { what: 'a suffix is exact', says: 'segments', decides: patterns((p) => (p === '*b:c' ? ['b:c'] : [p])) },
  {
    what: 'a last star matches none',
    says: 'lastStar',
    decides: patterns((p) => (p === 'eu:*' ? ['eu:*', 'eu'] : [p])),
  },
  {
    what: 'a star matches one segment',
    says: 'star',
    decides: ({ statements }) => ({
      statements: statements.map((one) => (one.actions.includes('files:read') ? { ...one, resources: ['v'] } : one)),
    }),
  },
  {
    what: 'an empty segment is skipped',
    says: 'segments',
    answer: (a, s) => {
      if (!at(s, '/evaluate-many')) return;
      s.json?.items?.forEach(({ resource }: Loose, index: number) => {
        if (resource.includes('::') && a.body?.items?.[index]) a.body.items[index].effect = 'Allow';
      });
    },
  },
  {
    what: 'a Deny does not count',
    says: 'denyWins',
    decides: ({ statements }) => ({ statements: statements.filter(({ effect }) => effect === 'Allow') }),
  },
];

const gates: readonly Mutant[] = [
  {
    what: 'the gate is open',
    says: 'gateRefusal',
    config: { central: true, authentication: { keys: { active: await ecKey() } } },
    expected: { central: true },
    answer: async (a, s, again) => {
      if (at(s, '/createToken') && a.status === 403)
        Object.assign(a, await again({ body: { ...s.json, user: undefined } }));
    },
  },
];

const writes: readonly Mutant[] = [
  {
    what: 'an index stays at an update',
    says: 'index',
    write: true,
    answer: (a, s) =>
      void (s.method === 'PUT' && isManaged(s) && a.status === 200 && Object.assign(a.body, { index: 1 })),
  },
  {
    what: 'an item that exists is created again',
    says: 'create',
    write: true,
    answer: (a) => void (a.status === 409 && Object.assign(a, { status: 200 })),
  },
  {
    what: 'a deletion answers the item',
    says: 'remove',
    write: true,
    answer: (a, s) =>
      void (s.method === 'DELETE' && isManaged(s) && a.status === 200 && Object.assign(a.body, { item: {} })),
  },
  {
    what: 'items are stored as they come',
    says: 'sortedOnWrite',
    write: true,
    answer: (a, s) => void (at(s, '-s') && s.method === 'POST' && Object.assign(a.body, { item: s.json?.item })),
  },
  {
    what: 'fields without a value are left out',
    says: 'zeroValues',
    write: true,
    answer: (a) => void (a.body?.item?.description === '' && delete a.body.item.description),
  },
  {
    what: 'removing a missing binding is 404',
    says: 'missingBinding',
    write: true,
    answer: (a) => void (a.body?.message === 'not found' && Object.assign(a, { status: 404 })),
  },
  (() => {
    // Decisions of a user with a removed binding stay what they were.
    let before: Changeable | undefined;
    let isRemoved = false;
    return {
      what: 'decisions lag behind',
      says: 'poolTick',
      write: true as const,
      answer: (a, s) => {
        if (s.method === 'DELETE' && at(s, '-t') && s.path.includes('-u/')) isRemoved = true;
        const isAsked = s.json?.items?.[0]?.resource === 'in:1' && s.json.items.length === 2;
        if (!isAsked) return;
        if (!isRemoved) before = { ...a };
        else if (before) a.body = before.body;
      },
    } satisfies Mutant;
  })(),
];

const streams: readonly Mutant[] = [
  {
    what: 'a stream repeats an item',
    says: 'poolState',
    streams: streaming(false, (items) => [...items, ...items.slice(-1)]),
  },
  {
    what: 'a stream is not in the order of the index',
    says: 'poolState',
    streams: streaming(false, (items) => items.toReversed()),
  },
  {
    what: 'a stream forgets a change',
    says: 'poolChanges',
    streams: streaming(true, (items) => items.filter(({ name }) => name !== 'never')),
  },
  {
    what: 'a stream needs no token',
    says: 'poolTokens',
    streams: (transport) => ({
      ...transport,
      open: (call, authorization, signal) =>
        transport.open(call, call.changes || authorization ? authorization : undefined, signal),
    }),
  },
];

const mutants = [...answers, ...decisions, ...gates, ...writes, ...streams];

test('there are at least thirty mutants', () => {
  expect(mutants.length).toBeGreaterThanOrEqual(30);
  expect(new Set(mutants.map(({ what }) => what)).size).toBe(mutants.length);
});

async function isFound({ says, write, config, expected, ...fault }: Mutant): Promise<void> {
  const report = await checkFaulty(fault, { write, settings: { ...settings, ...expected } }, config);
  expect(report.alike).toBe(false);
  expect(report.differences.map(({ sentence }) => sentence)).toContain(sentences[says]);
  expect(report.left).toEqual([]);
}

const named = (list: readonly Mutant[]) =>
  casesOf(mutants)
    .filter((mutant) => list.includes(mutant))
    .map((mutant) => [mutant.what, mutant] as const);

test.each(named([...answers, ...decisions, ...gates, ...writes]))('a conformance run finds that %s', (_what, mutant) =>
  isFound(mutant),
);

// At the same time, because each waits more than two seconds for messages.
test.concurrent.each(named(streams))('a conformance run finds that %s', (_what, mutant) => isFound(mutant));

test.each<[string, Fault, ConformanceOptions]>([
  ['reads', {}, {}],
  ['writes and streams', { streams: (transport) => transport }, { write: true }],
])('a conformance run finds nothing in a mock without a fault, if it %s', async (_what, fault, options) => {
  const report = await checkFaulty(fault, options);
  expect(report.differences).toEqual([]);
  expect(report.notTried).toEqual([]);
  expect([report.alike, report.fits.best]).toEqual([true, { settings, different: 0 }]);
});
