import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Connection, type ConnectionOptions, credentials } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';

/** A connection over a `fetch` that records its requests. */
function recording(options: Partial<ConnectionOptions> = {}) {
  const sent: [url: string, authorization: string | null][] = [];
  const fetch = async (url: string, init: RequestInit) => {
    sent.push([url, new Headers(init.headers).get('authorization')]);
    return Response.json({});
  };
  return { connection: new Connection({ url: 'http://host.test', fetch, ...options }), sent };
}

describe('Connection', () => {
  test('with() and withCredentials return new connections; the original is unchanged', async () => {
    const { connection, sent } = recording({ database: 'shop', credentials: credentials.bearer('service') });
    const other = connection.with({ database: 'other' });
    const nobody = connection.withCredentials(undefined);
    const caller = other.withCredentials(credentials.bearer('caller'));
    const all = [connection, other, nobody, caller];
    expect(all.map(({ database }) => database)).toEqual(['shop', 'other', 'shop', 'other']);
    for (const one of all) await one.send({ method: 'GET', path: '/x' });
    expect(sent).toEqual([
      ['http://host.test/_db/shop/x', 'Bearer service'],
      ['http://host.test/_db/other/x', 'Bearer service'],
      ['http://host.test/_db/shop/x', null],
      ['http://host.test/_db/other/x', 'Bearer caller'],
    ]);
  });

  test('with() keeps the database unless it is overridden', async () => {
    const { connection, sent } = recording({ database: 'shop' });
    const child = connection.with({ headers: { 'x-a': '1' } });
    await child.send({ method: 'GET', path: '/x' });
    expect([child.database, sent]).toEqual(['shop', [['http://host.test/_db/shop/x', null]]]);
  });

  test('each kind of call has its URL; URLs of integration services have a lower-case scheme', async () => {
    const bases = ['database', 'root', 'integration', 'management'] as const;
    const own = { integrationUrl: 'http://side.test/i/', managementUrl: new URL('http://manage.test?k=1') };
    const given = { url: 'http://host.test/p', credentials: credentials.bearer('t') };
    const all = [recording({ ...given, ...own }), recording(given)];
    for (const { connection } of all)
      for (const base of bases) await connection.send({ method: 'GET', base, path: '/x' });
    expect(all.map(({ sent }) => sent)).toEqual([
      [
        ['http://host.test/p/_db/_system/x', 'Bearer t'],
        ['http://host.test/p/x', 'Bearer t'],
        ['http://side.test/i/x', 'bearer t'],
        ['http://manage.test/x?k=1', 'Bearer t'],
      ],
      [
        ['http://host.test/p/_db/_system/x', 'Bearer t'],
        ['http://host.test/p/x', 'Bearer t'],
        ['http://host.test/p/x', 'bearer t'],
        ['http://host.test/p/x', 'Bearer t'],
      ],
    ]);
  });

  test.each([
    ['/../admin', 'database'],
    ['/a/%2e%2e/b', 'database'],
    ['@evil.test/', 'root'],
    ['.evil.test/', 'root'],
    [':81/', 'root'],
  ] as const)('send rejects a path that would leave the configured URL: %s below the %s', async (path, base) => {
    const { connection, sent } = recording({ credentials: credentials.bearer('canary') });
    expect(await failureOf(connection.send({ method: 'GET', path, base }))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      field: 'path',
      method: 'GET',
      origin: 'http://host.test',
    });
    expect(sent).toEqual([]);
  });

  test('errors of a confidential call contain no response text and no token-like characters', async () => {
    const answer = { code: 3, message: 'made eyJhbGciOi.eyJzdWIi.c2ln for alice, not for bob' };
    const fetch = async () => Response.json(answer, { status: 400 });
    const { connection } = recording({ fetch });
    const call = { method: 'POST', path: '/x' } as const;
    const error = await failureOf(connection.send({ ...call, confidential: ['not for bob'] }));
    expect([error.reason, error.body]).toEqual(['', undefined]);
    expect(await failureOf(connection.send({ ...call, confidential: [] }))).toMatchObject({
      reason: 'made … for alice, not for bob',
      body: undefined,
    });
    expect(await failureOf(connection.send(call))).toMatchObject({ reason: answer.message, body: answer });
  });

  test('await using closes the connection', async () => {
    const { connection } = recording();
    {
      await using _used = connection;
    }
    expect(await failureOf(connection.send({ method: 'GET', path: '' }))).toMatchObject({ code: 'ABORTED' });
  });

  test('forget() skips credentials without a forget method', () => {
    recording().connection.forget();
    recording({ credentials: { authorize: () => undefined } }).connection.forget();
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('canary');
      },
    ],
    ['rejects', () => Promise.reject(new Error('canary'))],
  ])('ignores the error of a forget method that %s, on close() and forget()', async (_what, forget) => {
    const { connection } = recording({ credentials: { authorize: () => undefined, forget } });
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    onTestFinished(() => void process.off('unhandledRejection', unhandled));
    connection.forget();
    await connection.close();
    // Node reports rejections after a turn.
    await turn();
    expect(unhandled).not.toHaveBeenCalled();
  });
});
