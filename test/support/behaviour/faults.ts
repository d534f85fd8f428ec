import { expect, vi } from 'vitest';
import { authz, type Check, fields, shop } from './check.ts';

const evaluate = `${authz}/evaluate`;
const question = { body: { user: 'alice', action: 'orders:read', resource: 'orders:1' } };

const faults: readonly Check[] = [
  {
    name: 'a status has the error format of the services, or of the database',
    async run({ mock, call }) {
      mock.fail({ path: '/evaluate', status: 503 });
      mock.fail({ path: '/version', status: 503 });
      expect(await call(evaluate, question)).toMatchObject({
        status: 503,
        body: { code: 14, message: 'scripted fault', details: [] },
      });
      expect(await call('/_api/version')).toMatchObject({
        status: 503,
        body: { error: true, code: 503, errorNum: 503, errorMessage: 'scripted fault' },
      });
      expect((await call(evaluate, question)).status).toBe(200);
    },
  },
  {
    name: 'a scripted body and scripted headers are returned',
    async run({ mock, call }) {
      const body = { later: [true] };
      mock.fail({ status: 429, body, headers: { 'Retry-After': '7' } });
      mock.fail({ status: 200, body: '{"effect": "All', headers: { 'content-type': 'text/html' } });
      body.later.push(false);
      const first = await call(evaluate, question);
      expect([first.status, first.headers.get('retry-after'), first.body]).toEqual([429, '7', { later: [true] }]);
      const second = await call(evaluate, question);
      expect([second.status, second.headers.get('content-type'), second.body]).toEqual([
        200,
        'text/html',
        '{"effect": "All',
      ]);
    },
  },
  {
    name: 'faults happen in order, each `times` times',
    async run({ mock, call }) {
      mock.fail({ status: 500, times: 2 });
      mock.fail({ status: 502 });
      const statuses: number[] = [];
      for (let i = 0; i < 4; i += 1) statuses.push((await call(evaluate, question)).status);
      expect(statuses).toEqual([500, 500, 502, 200]);
    },
  },
  {
    name: 'a fault affects matching requests only',
    async run({ mock, call }) {
      mock.fail({ method: 'post', path: /EVALUATE(-many)?$/i, status: 500, times: Number.POSITIVE_INFINITY });
      expect((await call(evaluate)).status).toBe(501);
      expect((await call(`${authz}/evaluate-token`, question)).status).toBe(400);
      for (let i = 0; i < 3; i += 1) expect((await call(`${evaluate}?x=1`, question)).status).toBe(500);
    },
  },
  {
    name: 'a fault ends when it is removed',
    async run({ mock, call }) {
      const undo = mock.fail({ status: 500, times: Number.POSITIVE_INFINITY });
      expect((await call(evaluate, question)).status).toBe(500);
      undo();
      expect((await call(evaluate, question)).status).toBe(200);
    },
  },
  {
    name: 'a dropped HEAD is a network error as well',
    async run({ mock, call }) {
      mock.fail({ method: 'HEAD', drop: true });
      await expect(call('/_api/version', { method: 'HEAD' })).rejects.toBeInstanceOf(TypeError);
      mock.assertFaultsUsed();
    },
  },
  {
    name: 'a dropped connection is a network error, and is logged',
    async run({ mock, call }) {
      mock.fail({ path: '/evaluate', drop: true });
      await expect(call(evaluate, question)).rejects.toBeInstanceOf(TypeError);
      expect(mock.requests.map(({ path, status }) => [path, status])).toEqual([[evaluate, 0]]);
      expect((await call(evaluate, question)).status).toBe(200);
    },
  },
  {
    name: 'a route that returns Response.error() drops the connection',
    async run({ mock, call }) {
      mock.route('GET', '/broken', () => Response.error());
      await expect(call('/broken')).rejects.toBeInstanceOf(TypeError);
      expect(mock.requests.map(({ path, status }) => [path, status])).toEqual([['/broken', 0]]);
    },
  },
  {
    name: 'a fault with a delay only serves the request afterwards',
    async run({ mock, call }) {
      mock.fail({ path: '/evaluate', delayMs: 200 });
      const order: unknown[] = [];
      // Started before the delay and shorter, so it fires first on a busy machine, too.
      setTimeout(() => order.push('before'), 100);
      const delayed = call(evaluate, question).then((answer) => order.push(fields(answer).effect));
      expect((await call('/_api/version')).status).toBe(401);
      await delayed;
      expect(order).toEqual(['before', 'Allow']);
    },
  },
  {
    name: 'an aborted caller does not wait for the delay',
    async run({ mock, call }) {
      mock.fail({ path: '/evaluate', delayMs: 60_000, status: 500 });
      const controller = new AbortController();
      const waiting = call(evaluate, { ...question, signal: controller.signal });
      await vi.waitFor(() => mock.assertFaultsUsed(), { timeout: 15_000, interval: 5 });
      controller.abort();
      await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
      expect((await call(evaluate, question)).status).toBe(200);
    },
  },
  {
    name: 'an evaluation can fail internally',
    async run({ mock, call }) {
      mock.fail({ evaluation: true });
      expect((await call('/_api/version')).status).toBe(401);
      expect(await call(evaluate, question)).toMatchObject({
        status: 500,
        body: { code: 13, message: 'evaluation failed' },
      });
      expect((await call(evaluate, question)).status).toBe(200);
    },
  },
  {
    name: 'an evaluation that fails is allowed in central-permissive',
    config: { ...shop, authorization: { type: 'central-permissive' } },
    async run({ mock, call }) {
      const body = { user: 'nobody', action: 'orders:read', resource: 'orders:1' };
      mock.fail({ evaluation: true });
      expect((await call(evaluate, { body })).body).toEqual({ message: 'Access granted', effect: 'Allow' });
      expect(fields(await call(evaluate, { body })).effect).toBe('Deny');
    },
  },
  {
    name: 'unused faults are listed',
    async run({ mock, call }) {
      mock.fail({ path: '/evaluate', status: 500 });
      mock.fail({ method: 'put', path: /role/, drop: true });
      mock.fail({ evaluation: true });
      const undo = mock.fail({ delayMs: 5, path: '/never' });
      undo();
      await call(evaluate, question);
      expect(() => mock.assertFaultsUsed()).toThrow('These faults never happened: PUT /role/ (drop), evaluation');
      await call(evaluate, question);
      mock.reset();
      mock.assertFaultsUsed();
    },
  },
];

export const faultChecks: readonly Check[] = faults.map((check) => ({ config: shop, ...check }));
