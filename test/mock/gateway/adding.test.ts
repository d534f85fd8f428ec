import { describe, expect, test } from 'vitest';
import {
  createMock,
  type Mock,
  type MockServiceOptions,
  type ServiceHandlers,
  type ServiceRequest,
} from '../../../src/mock/index.ts';
import { openApiValidator } from '../../../src/mock/openapi/index.ts';

const none = { authentication: { mode: 'None' } } as const;
const json = (text: string) => () =>
  new Response(JSON.stringify(text), { headers: { 'content-type': 'application/json' } });
const says = (text: string) => () => ({ body: text });

async function ask(mock: Mock, path: string, method = 'GET'): Promise<string> {
  const answer = await mock.fetch(`http://mock.test/_service/uds/_db/x/orders${path}`, { method });
  return `${answer.status} ${await answer.text()}`;
}

describe('a second mock.service of the same name', () => {
  test('adds operations, and its function removes only these', async () => {
    const mock = await createMock(none);
    mock.service('orders', { '/orders': { get: says('list') }, '/orders/new': { get: says('form') } });
    const remove = mock.service('orders', { '/orders': { post: says('made') }, '/orders/{id}': { get: says('one') } });
    const all = async () => [
      await ask(mock, '/orders'),
      await ask(mock, '/orders', 'POST'),
      await ask(mock, '/orders/7'),
      await ask(mock, '/orders/new'),
    ];
    // The fixed path counts, whichever call it came from.
    expect(await all()).toEqual(['200 list', '200 made', '200 one', '200 form']);
    const saved = mock.snapshot();
    remove();
    const less = ['200 list', '405 {"detail":"Method Not Allowed"}', '404 {"detail":"Not Found"}', '200 form'];
    expect(await all()).toEqual(less);
    mock.restore(saved);
    expect(await all()).toEqual(['200 list', '200 made', '200 one', '200 form']);
    mock.reset();
    expect(await ask(mock, '/orders')).toContain('404');
  });

  test('throws if an operation is there already, whatever its parameters are called, and adds nothing', async () => {
    const mock = await createMock(none);
    mock.service('orders', { '/orders/{id}': { get: says('first') } });
    const again: ServiceHandlers = { '/stock': { get: says('stock') }, '/orders/{order}': { get: says('second') } };
    expect(() => mock.service('orders', again)).toThrow(
      expect.objectContaining({
        code: 'INVALID_ARGUMENT',
        field: 'handlers',
        problem: 'the service has GET /orders/{} already; { replace: true } replaces it',
      }),
    );
    expect([await ask(mock, '/orders/7'), await ask(mock, '/stock')]).toEqual([
      '200 first',
      '404 {"detail":"Not Found"}',
    ]);
    const remove = mock.service('orders', again, { replace: true });
    expect([await ask(mock, '/orders/7'), await ask(mock, '/stock')]).toEqual(['200 second', '200 stock']);
    remove();
    expect(await ask(mock, '/orders/7')).toBe('200 first');
    // Of another database's or the global service it is another one.
    mock.service('orders', again, { global: true });
  });

  test.each<[MockServiceOptions, MockServiceOptions, number, 'own' | 'new' | 'none']>([
    [{}, {}, 401, 'new'],
    [{ passMode: 'pass', authentication: 'optional' }, {}, 200, 'own'],
    [{ passMode: 'pass' }, { passMode: 'remove' }, 401, 'none'],
    [{ authentication: 'optional' }, { authentication: 'required' }, 401, 'new'],
  ])('is one service to the gateway: %j, then %j', async (first, second, status, credentials) => {
    const mock = await createMock();
    const tell = { get: ({ request }: ServiceRequest) => ({ body: request.headers.get('authorization') }) };
    mock.service('orders', { '/a': tell }, first);
    mock.service('orders', { '/b': tell }, second);
    const authorization = `bearer ${await mock.tokens.issue({ user: 'alice' })}`;
    for (const path of ['a', 'b']) {
      const get = (headers: Record<string, string>) =>
        mock.fetch(`http://mock.test/_service/uds/_db/x/orders/${path}`, { headers });
      const got = await (await get({ authorization })).text();
      expect(got === authorization ? 'own' : got === '' ? 'none' : 'new').toBe(credentials);
      expect((await get({})).status).toBe(status);
    }
  });
});

describe('openApiValidator', () => {
  const operation = (example: string) => ({
    responses: { 200: { description: '', content: { 'application/json': { example } } } },
  });
  const document = {
    openapi: '3.1.0',
    paths: { '/documented': { get: operation('an example'), post: operation('an example') } },
  };

  test('lets paths beside the document in with `otherPaths`, and names the option without it', async () => {
    const mock = await createMock(none);
    const handlers: ServiceHandlers = {
      '/documented': { get: () => ({ body: 'documented', status: 404 }) },
      '/metrics': { get: says('up 1') },
      '/orders/{id}': { put: ({ path }) => ({ body: path }) },
    };
    expect(() => mock.service('orders', handlers, { document, validate: openApiValidator() })).toThrow(
      expect.objectContaining({ problem: expect.stringMatching(/get \/metrics.*otherPaths/) }),
    );
    mock.service('orders', handlers, { document, validate: openApiValidator({ otherPaths: true }) });
    expect(await ask(mock, '/metrics')).toBe('200 up 1');
    expect(await ask(mock, '/orders/7', 'PUT')).toBe('200 {"id":"7"}');
    expect(await ask(mock, '/documented')).toMatch(/^500 /);
  });

  test.each([{ otherPath: true }, { otherPaths: 'yes' }, 7])('refuses the options %j', (options) => {
    expect(() => openApiValidator(options as never)).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT' }));
  });

  test('an added operation takes the place of an example', async () => {
    const mock = await createMock(none);
    const options = { document, validate: openApiValidator(), examples: true };
    mock.service('orders', { '/documented': { post: json('own') } }, options);
    expect(await ask(mock, '/documented')).toBe('200 "an example"');
    mock.service('orders', { '/documented': { get: json('added') } }, options);
    expect([await ask(mock, '/documented'), await ask(mock, '/documented', 'POST')]).toEqual([
      '200 "added"',
      '200 "own"',
    ]);
  });
});
