import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findViolations } from './find-violations.ts';
import { type OpenSite, openSite } from './open-site.ts';

const denial = '      - effect: Deny\n        actions: ["*"]\n        resources: ["orders:*"]\n';

describe('the first screen of the site', () => {
  let site: OpenSite;
  const answer = () => site.page.locator('.first-answer').innerText();
  const permissions = () => site.page.getByLabel('permissions.yaml');
  const press = (name: string) => site.page.getByRole('button', { name }).click();

  beforeAll(async () => {
    site = await openSite();
  });
  afterAll(() => site[Symbol.asyncDispose]());
  beforeEach(async () => {
    await site.page.setViewportSize({ width: 1280, height: 800 });
    await site.go('');
  });

  test('answers 403 with the statement that denied, once a Deny is added, and as before once it is removed', async () => {
    const before = await answer();
    expect(before).toMatch(/^200 \{"id":"7".*by policy "read-orders" statement 1: Allow orders:read on orders:\*$/s);
    await press('Add a Deny');
    await expect.poll(answer).toMatch(/^403 .*by policy "read-orders" statement 2: Deny orders:\* on orders:7$/s);
    await press('Remove the Deny');
    // What the page shows before any script equals what the package decides.
    await expect.poll(answer).toBe(before);
    expect(site.faults.splice(0)).toEqual([]);
  });

  test('answers 403 as well if the Deny is typed', async () => {
    const text = await permissions().inputValue();
    await permissions().fill(text.replace(/^roles:/m, `${denial}roles:`));
    await expect.poll(answer).toMatch(/^403 .*by policy "read-orders" statement 2: Deny \* on orders:\*$/s);
  });

  test('takes a scope in words, as the command does', async () => {
    const text = await permissions().inputValue();
    await permissions().fill(text.replace(/scope:.*/s, 'scope: { database: shop }'));
    await expect.poll(answer).toMatch(/^403 .*by nothing allows it$/s);
    await permissions().fill(text.replace(/scope:.*/s, 'scope: { everything: true }'));
    await expect.poll(answer).toMatch(/^200 .*by policy "read-orders" statement 1: Allow orders:read on orders:\*$/s);
  });

  test('names the reason if no statement decided', async () => {
    const text = await permissions().inputValue();
    await permissions().fill(text.replace('user: alice', 'user: bob'));
    await expect.poll(answer).toMatch(/^403 .*by the user has no binding$/s);
    await permissions().fill(text.replaceAll('orders:read', 'orders:list'));
    await expect.poll(answer).toMatch(/^403 .*by nothing allows it$/s);
  });

  test.each([
    ['no YAML', 'policies: {', /^permissions\.yaml:1:12: Flow map/],
    ['no policies', 'policies: 3', /^permissions\.yaml:1:11: expected an object, got a number$/],
  ])('says what is wrong with a text that has %s, in place of an answer', async (_, text, problem) => {
    await permissions().fill(text);
    await expect.poll(answer).toMatch(problem);
    expect(await answer()).not.toMatch(/200|403/);
    expect(site.faults.splice(0)).toEqual([]);
  });

  test('loads the policy engine and the reader of YAML at the first change, not before', async () => {
    const loaded: string[] = [];
    site.page.on('request', (request) => loaded.push(request.url()));
    await site.page.reload({ waitUntil: 'networkidle' });
    const isOfAnswer = (url: string) => /decide\.|guard\./.test(url);
    expect(loaded.filter(isOfAnswer)).toEqual([]);
    await press('Add a Deny');
    await expect.poll(() => loaded.filter(isOfAnswer).length).toBeGreaterThan(0);
  });

  test.each([
    [1280, 800],
    [900, 800],
    [400, 800],
  ])('shows its answer and each line of the permissions at once, %i px wide and %i px high', async (width, height) => {
    await site.page.setViewportSize({ width, height });
    await press('Add a Deny');
    await expect.poll(answer).toMatch(/^403/);
    const box = await site.page.locator('.first-answer').boundingBox();
    expect((box?.y ?? height) + (box?.height ?? 0)).toBeLessThan(height);
    const hidden = await permissions().evaluate(
      (area) => area.scrollWidth > area.clientWidth || area.scrollHeight > area.clientHeight,
    );
    expect(hidden).toBe(false);
    await site.page.screenshot({ path: `reports/site-pictures/first-screen-${width}.png` });
  });

  test('pleases axe with all of it open, in light and in dark', async () => {
    await press('Add a Deny');
    await expect.poll(answer).toMatch(/^403/);
    await site.page.getByText('All that was considered').click();
    expect(await findViolations(site.page)).toEqual([]);
  });

  test('names the five tasks, and compares the package with four others in both directions', async () => {
    const tables = site.page.locator('.vp-doc table');
    expect(await tables.nth(0).locator('tbody a').allInnerTexts()).toEqual([
      'Call',
      'Guard and decide',
      'Permissions',
      'Test',
      'Operate',
    ]);
    expect(await tables.nth(1).locator('tbody a').allInnerTexts()).toEqual([
      'arangojs',
      'ky',
      '@openfga/sdk',
      '@cerbos/grpc',
    ]);
    expect(await tables.nth(1).locator('th').allInnerTexts()).toHaveLength(3);
    for (const cell of await tables.nth(1).locator('td').allInnerTexts()) expect(cell).not.toBe('');
  });
});
