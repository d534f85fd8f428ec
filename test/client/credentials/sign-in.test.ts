import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ClientOptions,
  createClient,
  credentials,
  HttpError,
  isSignInRequired,
  isWrongPassword,
} from '../../../src/index.ts';
import { createMock, type Mock } from '../../../src/mock/index.ts';
import { failureOf } from '../../support/failure.ts';

const question = { action: 'orders:read', resource: 'orders' } as const;
let mock: Mock;
let forged: string;

beforeAll(async () => {
  mock = await createMock({ users: [{ name: 'alice', password: 'pw' }] });
  forged = await mock.tokens.forge({ user: 'alice', wrongKey: true });
});
afterAll(() => mock[Symbol.asyncDispose]());

const client = (options: Partial<ClientOptions> = {}) => createClient({ ...mock.connection, ...options });
const answering = (answer: () => Response | Promise<Response>) => client({ fetch: async () => answer() });
const redirect = (status: number, location: string) => () => new Response(null, { status, headers: { location } });
const failing = (path: string, status: number, of: ReturnType<typeof createClient>) => {
  mock.fail({ path, status });
  return of.route('_echo').get();
};
const wrong = { username: 'alice', password: 'wrong' };

describe('isSignInRequired alone', () => {
  test.each<[string, () => Promise<unknown>]>([
    [
      '401 of a call with a token',
      () =>
        client({ credentials: credentials.bearer(forged) })
          .route('_echo')
          .get(),
    ],
    ['401 of a call without one', () => client().authentication.identity()],
    [
      'a token request that is refused with 401',
      () => failing('/createToken', 401, client({ credentials: credentials.minted({ user: 'alice' }) })),
    ],
    [
      'a question about self whose token is refused',
      () => client({ credentials: credentials.bearer(forged) }).authorization.evaluate({ self: true, ...question }),
    ],
    [
      'many questions about self whose token is refused',
      () =>
        client({ credentials: credentials.bearer(forged) }).authorization.evaluateMany({
          self: true,
          items: [question],
        }),
    ],
    ['self without credentials', () => client().authorization.evaluate({ self: true, ...question })],
    [
      'self with credentials that give no bearer token',
      () =>
        client({ credentials: credentials.basic('alice', 'pw') }).authorization.evaluate({ self: true, ...question }),
    ],
    ['the redirect of single sign-on', () => answering(redirect(307, 'https://id.example.com/auth')).route('x').get()],
    ['the same for POST', () => answering(redirect(307, 'https://id.example.com/auth')).route('x').post({})],
    [
      'the same in a browser, which hides its target',
      () =>
        answering(() => {
          const response = new Response(null);
          return Object.defineProperties(response, { type: { value: 'opaqueredirect' }, status: { value: 0 } });
        })
          .route('x')
          .get(),
    ],
    [
      'the 401 of a login of a service below a database',
      () =>
        answering(() => new Response(null, { status: 401 }))
          .route('svc/_login')
          .post({}),
    ],
  ])('is true for %s', async (_name, call) => {
    const error = await failureOf(call());
    expect([isSignInRequired(error), isWrongPassword(error)]).toEqual([true, false]);
  });
});

describe('isWrongPassword alone', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['the login call', () => client().authentication.login(wrong)],
    [
      'a call whose credentials log in',
      () =>
        client({ credentials: credentials.login(wrong) })
          .route('_echo')
          .get(),
    ],
    [
      'a token request whose bootstrap credentials log in',
      () =>
        client({ credentials: credentials.minted({ user: 'alice', bootstrap: credentials.login(wrong) }) })
          .route('_echo')
          .get(),
    ],
  ])('is true for a wrong password in %s', async (_name, call) => {
    const error = await failureOf(call());
    expect([isSignInRequired(error), isWrongPassword(error)]).toEqual([false, true]);
  });

  test("is true for a 401 under the gateway's short name of login", () => {
    const error = new HttpError({ method: 'POST', path: '/gw/_login' }, { status: 401, reason: '' });
    expect([isSignInRequired(error), isWrongPassword(error)]).toEqual([false, true]);
  });
});

test.each(['/_service/uds/_db/shop/app/_login', '/_service/uds/_global/app/_login', '/_db/shop/app/_login'])(
  'a 401 of %s, the login of a service, is not of this password',
  (path) => {
    const error = new HttpError({ method: 'POST', path }, { status: 401, reason: '' });
    expect([isSignInRequired(error), isWrongPassword(error)]).toEqual([true, false]);
  },
);

describe('isSignInRequired and isWrongPassword', () => {
  const minted = () => client({ credentials: credentials.minted({ user: 'alice' }) });
  test.each<[string, () => Promise<unknown>]>([
    ['403 of a call', () => failing('/_echo', 403, client())],
    ['403 of a token request', () => failing('/createToken', 403, minted())],
    ['403 of a login', () => failing('/login', 403, client({ credentials: credentials.login(wrong) }))],
    ['503', () => failing('/_echo', 503, client())],
    ['503 of a token request', () => failing('/createToken', 503, minted())],
    ['503 of a login', () => failing('/login', 503, client({ credentials: credentials.login(wrong) }))],
    [
      'a lost connection',
      () =>
        answering(() => Promise.reject(new TypeError('fetch failed')))
          .route('x')
          .get(),
    ],
    ['a token that was passed and is not valid', () => client().authorization.evaluate({ token: forged, ...question })],
    [
      'another 400 with the gRPC code 9',
      () => answering(() => Response.json({ code: 9, message: 'no' }, { status: 400 })).authentication.createToken(),
    ],
    ['another argument of self', () => client().authorization.evaluate({ self: true, action: '', resource: '' })],
    ['a redirect inside the origin', () => answering(redirect(307, '/_db/_system/y')).route('x').post({})],
    ['a redirect of another status', () => answering(redirect(302, 'https://elsewhere.example.com/')).route('x').get()],
  ])('are false for %s', async (_name, call) => {
    const error = await failureOf(call());
    expect([isSignInRequired(error), isWrongPassword(error)]).toEqual([false, false]);
  });

  test.each([undefined, null, 401, 'login', {}, Object.assign(new Error('401'), { status: 401 })])(
    'are false for %s',
    (error) => {
      expect([isSignInRequired(error), isWrongPassword(error)]).toEqual([false, false]);
    },
  );
});
