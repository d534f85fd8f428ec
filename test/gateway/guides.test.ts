import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from '../../scripts/lib/exec.ts';
import { createGuard, permissionsHandler } from '../../src/enforce/guard/index.ts';
import { createClient, credentials } from '../../src/index.ts';
import { failureOf } from '../support/failure.ts';
import { alice, createPlatform, openPage } from './support.ts';

const item = { action: 'orders:read', resource: 'order:7' };

// Without credentials of its own, the page has cookies.
test.each([{}, { credentials: credentials.bearer('canary-token') }])(
  'a page that asks about itself behind the gateway is pointed to permissionsHandler',
  async (options) => {
    const { client, sent } = openPage(await createPlatform('Native'), options);
    for (const ask of [
      () => client.authorization.isAllowed({ self: true, ...item }),
      () => client.authorization.evaluateMany({ self: true, items: [item] }),
    ]) {
      expect(await failureOf(ask())).toMatchObject({
        field: 'gateway',
        problem: expect.stringMatching(/permissionsHandler/),
      });
    }
    expect(sent).toEqual([]);
  },
);

/** Code of a page that is behind the gateway, or on its origin. */
const ofPage = /gateway: true|createSession|credentials\.cookies|HTMLElement|location\./;
/** Questions that the gateway does not route. */
const refused = /self: true|\.(?:isAllowed|assertAllowed|evaluate(?:Many)?)\(/;

test('no guide has a page ask a question that the gateway does not route', () => {
  const pages = globSync(['docs/guides/*.md', 'README.md'], { cwd: root });
  const blocks = pages.flatMap((page) =>
    [...readFileSync(root + page, 'utf8').matchAll(/^```tsx?\n(.*?)^```$/gms)].map(([, code = '']) => ({ page, code })),
  );
  expect(blocks.filter(({ code }) => ofPage.test(code)).length).toBeGreaterThan(5);
  const shown = blocks.filter(
    ({ code }) => ofPage.test(code) && refused.test(code) && !/integrationUrl|createMock/.test(code),
  );
  expect(shown).toEqual([]);
});

test('the answer of permissionsHandler goes through a mocked service', async () => {
  const mock = await createPlatform('Native');
  const permissions = permissionsHandler(createGuard(createClient(mock.connection)), { actions: ['orders:read'] });
  mock.service('orders', { '/permissions': { post: ({ request, body }) => permissions.answer(request, body) } });
  const { client } = openPage(mock, { credentials: credentials.login(alice), database: 'shop' });
  const orders = client.service('orders');
  expect((await orders.post('permissions', { items: [item] })).body).toEqual({ items: [true] });
  expect(await failureOf(orders.post('permissions', { items: [{ ...item, action: 'x:y' }] }))).toMatchObject({
    status: 400,
  });
});

test('a page of a guide that signs in at its own origin says that this is the gateway', () => {
  const files = globSync(['docs/**/*.md', 'examples/**/*.{ts,tsx,svelte}'], {
    cwd: root,
    exclude: ['**/node_modules/**', 'docs/api/**'],
  });
  const calls = files.flatMap((file) => {
    const text = readFileSync(root + file, 'utf8');
    const codes = file.endsWith('.md')
      ? [...text.matchAll(/^```tsx?\n(.*?)^```$/gms)].map(([, code = '']) => code)
      : [text];
    return codes.flatMap((code) =>
      [...code.matchAll(/create(?:Route)?Client\(\{.*?\}\)|handlers\(\w+, \{.*?\}\)/gs)].map(([call]) => ({
        file,
        call,
      })),
    );
  });
  const ofOrigin = calls.filter(({ call }) => /url: location\.origin|[{ ]url, gateway/.test(call));
  expect(ofOrigin.length).toBeGreaterThan(8);
  expect(ofOrigin.filter(({ call }) => !call.includes('gateway: true'))).toEqual([]);
});
