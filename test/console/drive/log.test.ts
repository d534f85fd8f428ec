import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMockConsole } from '../../../src/console/mock/mock-api.ts';
import type { DecisionLine } from '../../../src/policy/decision-line/line.ts';
import { bytesOf, decisionOf } from '../log/logs-of-tests.ts';
import { browsers } from './browsers.ts';
import { Person } from './person.ts';
import { serveConsole, serveLog } from './serve.ts';
import { openShop } from './shop.ts';

const field = 'A decision log, also gzip: choose it, or drop it here';
const fileField = 'A permissions.yaml: choose it, or drop it here';

const minute = (at: number) => `2026-11-20T12:${String(at).padStart(2, '0')}:00Z`;
const permissive = { enforced: false, source: 'service' } as const;

/** The log of a shop's permissive hour: alice writes, which her role does not allow, and carol has no role. */
const decisions: readonly DecisionLine[] = Array.from({ length: 50 }, (_, i): DecisionLine[] => [
  decisionOf({ ...permissive, time: minute(i), resource: `order:${i}` }),
  decisionOf({ ...permissive, time: minute(i), subject: { user: 'bob' }, action: 'orders:write' }),
  ...(i % 10 === 0
    ? [decisionOf({ ...permissive, time: minute(i), action: 'orders:write', resource: 'order:7', effect: 'Deny' })]
    : []),
  ...(i === 30 ? [decisionOf({ ...permissive, time: minute(i), subject: { user: 'carol' }, effect: 'Deny' })] : []),
]).flat();
const log = bytesOf(['starting sidecar', ...decisions, '{"v":1,"kind":"deci']);
const text = new TextDecoder().decode(log);

/** Permissions that let alice write orders as well. */
const file = JSON.stringify({
  policies: {
    'read-orders': { statements: [{ effect: 'Allow', actions: ['orders:*'], resources: ['order:*'] }] },
  },
});

describe.each(browsers.filter((browser) => browser.isInstalled()))('a decision log in $name', (browser) => {
  let person: Person;
  beforeAll(async () => {
    person = new Person(`log-${browser.name}`, await browser.open());
  }, 60_000);
  afterAll(() => person?.close());

  test('shows its decisions when it is dropped, denials first, and narrows to a name', async () => {
    await using mock = await openShop();
    await person.open(`${await serveConsole(mock)}#/log`);
    await person.sees('No log yet');
    await person.drop(field, 'sidecar.log', text);
    await person.sees('106 decisions in 108 lines', '6 denied, 100 allowed', 'By user', 'carol', 'Unused permissions');
    await person.sees('Enforcing them would deny 6 of 106 requests:', '2 users, 2 actions', 'the user has no binding');
    // The line that is cut may have been any decision.
    await person.sees('None of 106 logged decisions flips.', 'Every part decided something, or may have');
    await person.picture('dropped');
    await person.click('2 lines without a decision');
    await person.sees('incomplete');
    await person.click('As a table');
    await person.sees('12:30');
    await person.click('carol');
    await person.sees('1 denied, 0 allowed', 'Only carol');
    expect(await person.address()).toMatch(/#\/log\?user=carol$/);
    await person.click('Only carol');
    expect(await person.focused()).toBe('Decision log');
    await person.click('orders:write');
    await person.sees('5 denied, 50 allowed');
    // Other views leave the log open.
    await person.click('Tokens');
    await person.sees('No token yet');
    await person.click('Decision log');
    await person.sees('6 denied, 100 allowed');
    await person.click('Close the log');
    await person.sees('No log yet');
    await person.drop(field, 'whole.log', text.slice(0, text.lastIndexOf('{')));
    await person.sees('106 decisions in 107 lines', 'no-archive');
    await person.click('Close the log');
  });

  test('reads gzip, shows what a file of permissions would change, and follows edits of that file', async () => {
    await using mock = await openShop();
    await person.open(`${await serveConsole(mock)}#/log`);
    await person.dropBytes(field, 'sidecar.log.gz', gzipSync(log));
    await person.sees('106 decisions');
    await person.drop(fileField, 'next.json', '{ "roles": { "clerk": 1 } }');
    await person.sees('expected an object, got a number');
    await person.drop(fileField, 'next.json', file);
    await person.sees('What next.json would change', 'Of 106 logged decisions 5 flip: 0 would be denied, 5 allowed.');
    await person.sees('Enforcing them would deny 1 of 106 requests:');
    const scope = { statements: [{ effect: 'Allow' as const, actions: ['*'], resources: ['*'] }] };
    await createMockConsole(mock).edit({ edit: { kind: 'assign-role', user: 'carol', role: 'clerk', scope } });
    await person.sees('Enforcing them would deny 5 of 106 requests:', 'Denied in the log, would be allowed');
  });

  test('opens when it is dropped beside the fields, too, without leaving the page', async () => {
    await using mock = await openShop();
    await person.open(`${await serveConsole(mock)}#/permissions`);
    await person.sees('Bindings');
    await person.run(`const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([${JSON.stringify(text)}], 'sidecar.log'));
      document.querySelector('main').dispatchEvent(
        new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));`);
    await person.sees('106 decisions in 108 lines');
    expect(await person.address()).toMatch(/#\/log$/);
  });

  test('can be used by keyboard alone', async () => {
    await using mock = await openShop();
    await person.open(`${await serveConsole(mock)}#/log`);
    await person.sees('No log yet');
    await person.tabTo(field);
    await person.drop(field, 'sidecar.log', text);
    await person.sees('By user');
    // The field stays while the log is read, so the focus does.
    expect(await person.focused()).toBe(field);
    await person.tabTo('Close the log');
    await person.press('Enter');
    await person.sees('No log yet');
    expect(await person.focused()).toBe('Decision log');
    await person.drop(field, 'sidecar.log', text);
    await person.sees('By user');
    // Forwards only: behind the last element Firefox leaves the page.
    await person.tabTo('As a table');
    await person.press('Enter');
    await person.sees('From (UTC)', '12:30');
    await person.tabTo('carol');
    await person.press('Enter');
    await person.sees('1 denied, 0 allowed');
    await person.press('Enter');
    await person.sees('6 denied, 100 allowed');
    await person.tabTo('Show more');
    await person.press('Enter');
    await person.sees('order:20');
    await person.tabTo(fileField);
  });

  test('of the command line is read behind the key, with progress, and can be cancelled', async () => {
    let [opened, closed] = [0, 0];
    const { address } = await serveLog(
      async function* () {
        opened += 1;
        try {
          for (;;) {
            yield log;
            if (opened === 1) await new Promise((resolve) => setTimeout(resolve, 5));
            else return;
          }
        } finally {
          closed += 1;
        }
      },
      { size: 1_000_000_000 },
    );
    await person.open(address);
    await person.sees('Decision log');
    expect(opened).toBe(0);
    await person.click('Decision log');
    await person.sees('Reading sidecar.log', 'decisions');
    await person.click('Cancel');
    await person.sees('No log yet');
    await expect.poll(() => closed).toBe(1);
    await person.click('Read sidecar.log');
    await person.sees('106 decisions in 108 lines');
  });

  test('shows the reason if none of the file’s lines is a decision', async () => {
    await using mock = await openShop();
    await person.open(`${await serveConsole(mock)}#/log`);
    await person.drop(field, 'nginx.log', 'GET / 200\nGET / 404\n');
    await person.sees('0 decisions in 2 lines', 'the log holds no decisions', '2 lines without a decision');
    await person.missesText('By user');
    await person.drop(field, 'empty.log', '');
    await person.sees('the log is empty');
  });
});
