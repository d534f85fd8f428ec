import { expect, test } from 'vitest';
import { exec, root } from '../../../scripts/lib/exec.ts';

const program = `
  import { createMock } from '${root}dist/mock/index.js';
  import { openApiValidator } from '${root}dist/mock/openapi/index.js';
  const schema = { type: 'object', required: ['total'], properties: { total: { type: 'number' } } };
  const content = { 'application/json': { schema } };
  const document = {
    openapi: '3.1.0',
    paths: { '/orders': { post: { requestBody: { content }, responses: { 200: { description: '', content } } } } },
  };
  const mock = await createMock();
  mock.service('orders', { '/orders': { post: ({ body }) => ({ body }) } },
    { document, validate: openApiValidator(), authentication: 'optional' });
  const ask = async (body) => (await mock.fetch(mock.connection.url + '/_service/uds/_db/shop/orders/orders', {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
  })).status;
  let evaluates = true;
  try { new Function('return 1')(); } catch { evaluates = false; }
  console.log(JSON.stringify([evaluates, await ask({ total: 1 }), await ask({ total: '1' })]));
`;

test('validates if code cannot be generated from strings, as under a strict Content Security Policy', async () => {
  const args = ['--disallow-code-generation-from-strings', '--input-type=module', '--eval', program];
  const { output } = await exec(process.execPath, args);
  expect(output).toBe('[false,200,400]');
});
