import { describe, expect, test } from 'vitest';
import { credentials } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';
import { json, type Responder, serve } from '../../support/server.ts';
import { pathOf, routeOf, routeWays } from '../../support/transports.ts';

const to =
  (location: string | undefined, status = 302): Responder =>
  (_wire, response) =>
    void response.writeHead(status, location === undefined ? {} : { location }).end('moved');
const statuses = [301, 302, 303, 307, 308];

describe.each(routeWays)('Redirects over $name', (transport) => {
  const moved = (location: string, status?: number) =>
    serve((wire, ...rest) =>
      (wire.target.includes('/svc/u') ? to(location, status) : json({ at: wire.target }))(wire, ...rest),
    );

  test('keeps the bytes of a location in raw UTF-8, and in any other encoding', async () => {
    const server = await serve((wire, ...rest) => {
      const raw = (bytes: Buffer) => to(bytes.toString('latin1'))(wire, ...rest);
      if (wire.target.endsWith('/u')) raw(Buffer.from('/café?q=日'));
      else if (wire.target.endsWith('/latin')) raw(Buffer.from('/caf\xe9', 'latin1'));
      else json({ at: wire.target })(wire, ...rest);
    });
    const R = routeOf(server, transport);
    expect((await R.get('u')).body).toEqual({ at: '/caf%C3%A9?q=%E6%97%A5' });
    expect((await R.get('latin')).body).toEqual({ at: '/caf%E9' });
    expect(await failureOf(R.post('u'))).toMatchObject({ code: 'REDIRECT', location: `${server.url}/caf%C3%A9` });
  });

  test('reads headers as Latin-1, as fetch does', async () => {
    const server = await serve((_, response) => {
      const raw = (text: string) => Buffer.from(text).toString('latin1');
      response.writeHead(200, { 'x-one': raw('é日'), 'set-cookie': [raw('a=é'), 'b=2'] }).end();
    });
    const { headers } = await routeOf(server, transport).get('u');
    const bytesOf = (text: string | null) => Buffer.from(text ?? '', 'latin1').toString();
    expect(bytesOf(headers.get('x-one'))).toBe('é日');
    expect(headers.getSetCookie().map(bytesOf)).toEqual(['a=é', 'b=2']);
  });

  test.each(statuses)('follows %d inside the origin for GET and HEAD', async (status) => {
    const server = await moved('/else?x=1', status);
    const R = routeOf(server, transport);
    const response = await R.get('u', { q: 1 });
    expect(response).toMatchObject({
      status: 200,
      body: { at: '/else?x=1' },
      redirected: true,
      url: `${server.url}/else?x=1`,
    });
    expect(await R.head('u')).toMatchObject({ status: 200, redirected: true });
    expect(server.seen.map(({ method, target }) => `${method} ${target}`)).toEqual([
      `GET ${pathOf(transport)}/u?q=1`,
      'GET /else?x=1',
      `HEAD ${pathOf(transport)}/u`,
      'HEAD /else?x=1',
    ]);
  });

  test('resolves a relative location; drops its fragment, user and password', async () => {
    const server = await moved('v/w?x=1#part');
    expect((await routeOf(server, transport).get('u')).url).toBe(`${server.url}${pathOf(transport)}/v/w?x=1`);
    const withUser = await serve((wire, ...rest) =>
      (wire.target === '/end' ? json({}) : to(`http://user:canary@${wire.headers.get('host')?.[0]}/end`))(
        wire,
        ...rest,
      ),
    );
    expect((await routeOf(withUser, transport).get('u')).url).toBe(`${withUser.url}/end`);
    expect(withUser.seen[1]?.headers.has('authorization')).toBe(false);
  });

  test.each(statuses)('%d for any other method is a RedirectError with the target', async (status) => {
    const server = await moved('/else?secret=canary', status);
    const R = routeOf(server, transport);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const error = await failureOf(R.request({ method, path: 'u' }));
      expect(error).toMatchObject({
        name: 'RedirectError',
        code: 'REDIRECT',
        status,
        location: `${server.url}/else`,
        method,
        path: `${pathOf(transport)}/u`,
      });
      expect(error.message).toContain(`${server.url}/else: only GET and HEAD follow redirects`);
      expect(error.message).not.toContain('canary');
    }
    expect(server.seen.filter(({ target }) => target.startsWith('/else'))).toEqual([]);
  });

  test('another origin is a RedirectError, and no request arrives there', async () => {
    const other = await serve();
    const server = await moved(`${other.url}/x?secret=1`);
    const R = routeOf(server, transport, { credentials: credentials.bearer('canary') });
    const error = await failureOf(R.get('u'));
    expect(error).toMatchObject({ code: 'REDIRECT', status: 302, location: `${other.url}/x` });
    expect(error.message).toMatch(/it leaves the origin$/);
    expect(other.seen).toEqual([]);
  });

  test.each(['//elsewhere.invalid/x', 'https://127.0.0.1/x', 'ftp://127.0.0.1/x', 'data:text/plain,x'])(
    '%s leaves the origin',
    async (location) => {
      const server = await moved(location);
      expect(await failureOf(routeOf(server, transport).get('u'))).toMatchObject({ code: 'REDIRECT' });
      expect(server.seen).toHaveLength(1);
    },
  );

  test('keeps Authorization inside the origin', async () => {
    const server = await moved('/else');
    const R = routeOf(server, transport, { credentials: credentials.bearer('token') });
    await R.get('u');
    expect(server.seen.map(({ headers }) => headers.get('authorization'))).toEqual([
      ['Bearer token'],
      ['Bearer token'],
    ]);
  });

  test.each([
    ['no location', undefined, 302],
    ['a location that is not a valid URL', 'http://[', 302],
    ['300', '/else', 300],
    ['305', '/else', 305],
  ])('%s is a RedirectError, not a response', async (_what, location, status) => {
    const server = await serve(to(location, status));
    expect(await failureOf(routeOf(server, transport).get('u'))).toMatchObject({ code: 'REDIRECT', status });
    expect(server.seen).toHaveLength(1);
  });

  test('a loop ends after 20 redirects', async () => {
    const server = await moved(`${pathOf(transport)}/u`);
    const error = await failureOf(routeOf(server, transport).get('u'));
    expect(error.message).toMatch(/more than 20 redirects$/);
    expect(server.seen).toHaveLength(21);
  });

  test('an error after a redirect names the path of the call', async () => {
    const server = await serve((wire, ...rest) => (wire.target === '/end' ? json({}, 404) : to('/end'))(wire, ...rest));
    expect(await failureOf(routeOf(server, transport).get('u'))).toMatchObject({
      code: 'HTTP',
      status: 404,
      path: `${pathOf(transport)}/u`,
    });
  });
});

describe('Redirects that the runtime hides or follows by itself', () => {
  const answering = (fields: Partial<Response>) => ({
    fetch: async () =>
      Object.defineProperties(
        Response.json({}),
        Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, { value }])),
      ),
  });
  const host = { url: 'http://host.test' };

  test('an opaque redirect of a browser is a RedirectError that says so', async () => {
    const error = await failureOf(routeOf(host, answering({ type: 'opaqueredirect', status: 0 })).get('u'));
    expect(error).toMatchObject({ code: 'REDIRECT', status: 0 });
    expect(error.location).toBeUndefined();
    expect(error.message).toMatch(/browsers/);
  });

  test('rejects the response of a fetch that left the origin by itself', async () => {
    const fetch = answering({ redirected: true, url: 'http://elsewhere.test/x?secret=1' });
    expect(await failureOf(routeOf(host, fetch).get('u'))).toMatchObject({
      code: 'REDIRECT',
      location: 'http://elsewhere.test/x',
    });
  });

  test('a fetch that followed a redirect inside the origin: returns GET, rejects POST', async () => {
    const fetch = answering({ redirected: true, url: 'http://host.test/x' });
    expect(await routeOf(host, fetch).get('u')).toMatchObject({ redirected: true, url: 'http://host.test/x' });
    expect(await failureOf(routeOf(host, fetch).post('u'))).toMatchObject({ code: 'REDIRECT' });
  });

  test.each([
    ['followed', 'GET', { status: 302 }],
    ['refused', 'POST', { status: 302 }],
    ['refused afterwards', 'GET', { status: 200, redirected: true, url: 'http://elsewhere.test/' }],
  ])('releases the connection of a redirect body that is %s', async (_what, method, fields) => {
    let cancelled = false;
    const body = new ReadableStream({
      cancel: () => {
        cancelled = true;
      },
    });
    const { status, ...rest } = fields;
    const first = new Response(body, { status, headers: { location: '/else' } });
    for (const [name, value] of Object.entries(rest)) Object.defineProperty(first, name, { value });
    const answers = [first, Response.json({})];
    const fetch = async () => answers.shift() ?? Response.error();
    await routeOf(host, { fetch }).request({ method }).catch(String);
    expect(cancelled).toBe(true);
  });
});
