import { isSchemaError } from 'arango-services';
import { expect } from 'vitest';
import * as z from 'zod/mini';
import { clientOf, echoed, failure, type Smoke } from './check.ts';

const methods: readonly Smoke[] = (['PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const).map((method) => ({
  name: `${method} arrives under its name`,
  async run(platform) {
    expect(echoed(await clientOf(platform).route('_echo').request({ method, path: 'x' })).method).toBe(method);
  },
}));

const calls: readonly Smoke[] = [
  {
    name: 'a GET arrives with path, query and headers',
    async run(platform) {
      const route = clientOf(platform).route('_echo', { 'x-tenant': 'acme' });
      const { status, ok, headers, url, redirected, body } = await route.get('open', { limit: 5, tag: ['a', 'ü b'] });
      expect([status, ok, headers.get('content-type'), redirected]).toEqual([200, true, 'application/json', false]);
      expect(url).toContain('/_db/shop/_echo/open?');
      expect(body).toMatchObject({
        method: 'GET',
        path: '/_db/shop/_echo/open',
        query: 'limit=5&tag=a&tag=%C3%BC%20b',
        headers: { 'x-tenant': 'acme' },
        body: null,
      });
    },
  },
  {
    name: 'a POST arrives with its JSON',
    async run(platform) {
      const item = { text: 'Käse 🧀', list: [1, null, { deep: true }] };
      const { headers, body } = echoed(await clientOf(platform).route('_echo').post('x', item));
      expect([headers['content-type'], body]).toEqual(['application/json', item]);
    },
  },
  {
    name: 'HEAD has no body',
    async run(platform) {
      const { status, body } = await clientOf(platform).route('_echo').head('x');
      expect([status, body]).toEqual([200, undefined]);
    },
  },
  {
    name: 'a path and a database are encoded once',
    async run(platform) {
      const route = clientOf(platform, { database: 'my shop/ü' }).route('_echo');
      expect(echoed(await route.get('a b/ü/100%25')).path).toBe('/_db/my%20shop%2F%C3%BC/_echo/a%20b/%C3%BC/100%25');
    },
  },
  {
    name: 'a whole path without database and route',
    async run(platform) {
      const call = { absolutePath: true, path: '/_api/version' } as const;
      expect((await clientOf(platform).route().request(call)).body).toMatchObject({ server: 'arango' });
    },
  },
  {
    name: 'headers of a call override the route’s and the client’s, and null removes one',
    async run(platform) {
      const client = clientOf(platform, { headers: { 'x-a': '1', 'x-b': '1', 'x-c': '1' } });
      const route = client.route('_echo', { 'x-b': '2', 'x-c': null });
      const { headers } = echoed(await route.request({ path: 'x', headers: { 'x-a': '3' } }));
      expect([headers['x-a'], headers['x-b'], headers['x-c']]).toEqual(['3', '2', undefined]);
    },
  },
  {
    name: 'a route is as immutable as its parent',
    async run(platform) {
      const route = clientOf(platform).route('_echo');
      const other = route.with({ headers: { 'x-other': '1' } });
      expect(echoed(await route.get('x')).headers['x-other']).toBeUndefined();
      expect(echoed(await other.get('x')).headers['x-other']).toBe('1');
    },
  },
  {
    name: 'a schema types the body, and rejects another shape',
    async run(platform) {
      const echo = clientOf(platform)
        .route('_echo')
        .with({ schema: z.object({ method: z.literal('GET') }) });
      expect((await echo.get('x')).body.method).toBe('GET');
      const error = await failure(echo.delete('x'));
      expect(isSchemaError(error) && error.issues.map(({ path }) => path)).toEqual([['method']]);
    },
  },
  {
    name: 'twenty calls at once do not mix',
    async run(platform) {
      const route = clientOf(platform).route('_echo');
      const numbers = Array.from({ length: 20 }, (_, i) => i);
      const answers = await Promise.all(numbers.map((i) => route.post('x', { i })));
      expect(answers.map((answer) => echoed(answer).body)).toEqual(numbers.map((i) => ({ i })));
    },
  },
  {
    name: 'an observer receives each attempt, and no secret',
    async run(platform) {
      const heard: unknown[] = [];
      const client = clientOf(platform, { observe: (event) => heard.push(event) });
      await client.route('svc').post('text', { canary: 'canary' }, { q: 'canary' });
      expect(heard).toMatchObject([{ method: 'POST', path: '/_db/shop/svc/text', status: 200, attempt: 1 }]);
      expect(JSON.stringify(heard)).not.toContain('canary');
    },
  },
];

const answers: readonly Smoke[] = [
  {
    name: 'JSON is parsed, text is text, anything else is bytes',
    async run(platform) {
      const route = clientOf(platform).route('svc');
      expect((await route.get('text')).body).toBe('Käse 🧀');
      const { body } = await route.get('bytes');
      expect([...(body as Uint8Array)]).toEqual([0, 1, 254, 255]);
    },
  },
  {
    name: 'an empty response is undefined',
    async run(platform) {
      const { status, body } = await clientOf(platform).route('svc').get('empty');
      expect([status, body]).toEqual([204, undefined]);
    },
  },
  {
    name: 'as text',
    async run(platform) {
      const { body } = await clientOf(platform).route('_echo').with({ responseType: 'text' }).get('x');
      expect(JSON.parse(body ?? '')).toMatchObject({ method: 'GET' });
    },
  },
  {
    name: 'as bytes',
    async run(platform) {
      const { body } = await clientOf(platform).route('svc').with({ responseType: 'bytes' }).get('text');
      expect(new TextDecoder().decode(body)).toBe('Käse 🧀');
    },
  },
  {
    name: 'as a Blob',
    async run(platform) {
      const { body } = await clientOf(platform).route('svc').with({ responseType: 'blob' }).get('text');
      expect(await body?.text()).toBe('Käse 🧀');
    },
  },
  {
    name: 'as a stream',
    async run(platform) {
      const { body } = await clientOf(platform).route('svc').with({ responseType: 'stream' }).get('text');
      expect(await new Response(body).text()).toBe('Käse 🧀');
    },
  },
];

export const requestChecks: readonly Smoke[] = [...calls, ...methods, ...answers];
