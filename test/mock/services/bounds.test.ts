import { expect, test } from 'vitest';
import { createMock, type MockConfig } from '../../../src/mock/index.js';

const permissions = '/_management/permissions';

async function ask(config: MockConfig, path: string) {
  await using mock = await createMock(config);
  const authorization = `bearer ${await mock.tokens.issue({ user: null })}`;
  const response = await mock.fetch(`http://mock.test${permissions}${path}`, { headers: { authorization } });
  return { status: response.status, body: await response.json() };
}

test.each(['documented', 'sidecar'] as const)('a negative itemsPerPage is 400 in %s fidelity', async (fidelity) => {
  for (const name of ['itemsPerPage', 'items_per_page']) {
    expect(await ask({ fidelity }, `/role?${name}=-1`)).toMatchObject({ status: 400, body: { code: 3 } });
  }
  expect(await ask({ fidelity }, '/role?itemsPerPage=0')).toMatchObject({ status: 200, body: { names: [] } });
});

test('an answer of more than 4 MiB is 429, one byte less is not', async () => {
  const answerOf = (bytes: number) =>
    ask({ policies: { p: { statements: [], description: 'x'.repeat(bytes) } } }, '/policy/p');
  const { body } = await answerOf(0);
  const room = 4_194_304 - JSON.stringify(body).length;
  expect((await answerOf(room)).status).toBe(200);
  expect(await answerOf(room + 1)).toEqual({
    status: 429,
    body: { code: 8, message: 'grpc: received message larger than max (4194305 vs. 4194304)', details: [] },
  });
});
