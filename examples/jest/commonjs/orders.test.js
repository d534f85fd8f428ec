const { createClient, isHttpError } = require('arango-services');
const { createMock } = require('arango-services/mock');

let mock;
let start;
beforeAll(async () => {
  mock = await createMock({ users: [{ name: 'alice', password: 'pw' }] });
  start = mock.snapshot();
});
afterEach(() => mock.restore(start));
afterAll(() => mock[Symbol.asyncDispose]());

test('a login gives a token that is valid', async () => {
  const { authentication } = createClient(mock.connection);
  const { token } = await authentication.login({ username: 'alice', password: 'pw' });
  expect(await authentication.validate(token)).toMatchObject({ valid: true, user: 'alice' });
});

test('a service that is not there is an HttpError', async () => {
  mock.fail({ path: '/login', status: 503 });
  const login = createClient(mock.connection).authentication.login({ username: 'alice', password: 'pw' });
  const error = await login.catch((reason) => reason);
  expect(isHttpError(error)).toBe(true);
  expect(error.status).toBe(503);
});
