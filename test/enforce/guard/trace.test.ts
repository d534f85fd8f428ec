import { expect, test } from 'vitest';
import { createGuard } from '../../../src/enforce/guard/index.ts';
import { createClient } from '../../../src/index.ts';
import { json, serve } from '../../support/server.ts';

const question = { action: 'orders:read', resource: 'order:7' };
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

async function sentFor(headers: Record<string, string>) {
  const { url, seen } = await serve(json({ effect: 'Allow', allowed: true, message: '' }));
  const guard = createGuard(createClient({ url }));
  const request = { headers: { authorization: 'Bearer x.y.z', ...headers } };
  await guard.check(request, question);
  await guard.checkMany(request, [question]);
  return seen.map(({ headers: sent }) => [sent.get('x-request-id')?.[0], sent.get('traceparent')?.[0]]);
}

test('the call for a decision forwards the id and the trace of the request', async () => {
  const sent = await sentFor({ 'x-request-id': 'r-7', traceparent, 'x-other': 'stays' });
  expect(sent).toEqual([
    ['r-7', traceparent],
    ['r-7', traceparent],
  ]);
});

test.each([
  ['none', {}],
  ['an id with white space or of 201 characters', { 'x-request-id': 'a b', traceparent: 'x' }],
  ['a long id', { 'x-request-id': 'x'.repeat(201), traceparent: `${traceparent}-${'x'.repeat(101)}` }],
  ['text that no header holds', { 'x-request-id': 'a\u0100', traceparent: `${traceparent}\n` }],
])('%s: nothing is carried on, and the decision is made', async (_, headers) => {
  expect(await sentFor(headers)).toEqual([
    [undefined, undefined],
    [undefined, undefined],
  ]);
});
