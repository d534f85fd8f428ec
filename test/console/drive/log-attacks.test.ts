import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { printable } from '../../../src/base/lib/text/printable.ts';
import { jsonLine, prettyLine } from '../../policy/decisions/platform-lines.ts';
import { bytesOf, decisionOf } from '../log/logs-of-tests.ts';
import { browsers } from './browsers.ts';
import { Person } from './person.ts';
import { serveConsole, serveLog } from './serve.ts';
import { openShop } from './shop.ts';

const field = 'A decision log, also gzip: choose it, or drop it here';
const fileField = 'A permissions.yaml: choose it, or drop it here';
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Names that a page must show as text, and as text that reads as it is. */
const hostileNames = [
  '<img src=x onerror="window.executed=1">',
  '<script>window.executed=1</script>',
  '<svg onload="window.executed=1"><a href="javascript:window.executed=1">click</a></svg>',
  'javascript:window.executed=1',
  '</title><iframe srcdoc="<script>parent.executed=1</script>">',
  'evil\u202egnp.exe\u2066\u2069',
  '\u001b[31mred\u001b]8;;http://evil.test\u0007link\u001b]8;;\u0007',
  'two\nlines\r\nof \u2028 text',
  '__proto__',
  `{{constructor.constructor('window.executed=1')()}}`,
  'x'.repeat(70_000),
];

/** A log with the hostile names in lines of each format. */
function hostileLog(): string {
  const lines = hostileNames.flatMap((odd) => {
    const asked = { user: odd, roles: [odd], action: odd, resource: odd, granted: false };
    return [
      decisionOf({
        ...{ subject: { user: odd, groups: [odd] }, action: odd, resource: odd, effect: 'Deny', enforced: false },
        ...{ service: odd, source: odd, operation: odd, requestId: odd },
      }),
      decisionOf({ subject: { userHash: odd }, masked: ['/subject/user'], action: odd }),
      decisionOf({ subject: { groups: [odd] }, resource: odd, because: [{ role: odd, policy: odd, statement: 0 }] }),
      jsonLine(asked),
      prettyLine(asked),
      `${odd.replaceAll(/[\n\r]/g, ' ')} a line of another program`,
    ];
  });
  return textOf(bytesOf([...lines, `{"v":1,"user":"${'y'.repeat(1_100_000)}"}`, '{"v":1,"kind":"decision","ti']));
}

/** Permissions with the hostile names; the last ones are not valid. */
const hostileFile = (names: readonly string[]) =>
  JSON.stringify({
    policies: Object.fromEntries(
      names.map((odd) => [odd, { statements: [{ effect: 'Allow', actions: ['*'], resources: [odd] }] }]),
    ),
    roles: Object.fromEntries(names.map((odd) => [odd, { policies: [odd] }])),
    bindings: names.map((user) => ({ user, role: user, scope: 'all' })),
    scopes: { all: { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } },
    manage: { policies: ['*'], roles: ['*'], users: ['*'] },
  });

/** Permissions that keep alice from reading orders. */
const listOnly = JSON.stringify({
  policies: { 'read-orders': { statements: [{ effect: 'Allow', actions: ['orders:list'], resources: ['*'] }] } },
});

describe.each(browsers.filter((browser) => browser.isInstalled()))('attacks on the log in $name', (browser) => {
  let person: Person;
  beforeAll(async () => {
    person = new Person(`attacks-${browser.name}`, await browser.open());
  }, 60_000);
  afterAll(() => person?.close());

  /** Fails if anything was executed or inserted, or if a shown text hides or reverses others. */
  async function expectPlain(): Promise<string> {
    const state = `return [window.executed === undefined, document.querySelectorAll(
      'img[src=x], svg[onload], main script, iframe, a[href^=javascript]').length, document.title,
      document.body.innerText, [...document.querySelectorAll('[aria-label], [title]')].map(
        (one) => (one.getAttribute('aria-label') ?? '') + (one.getAttribute('title') ?? '')).join('')];`;
    // The cast: what the script returns.
    const [isQuiet, inserted, title, shown, labels] = (await person.run(state)) as [
      boolean,
      number,
      string,
      string,
      string,
    ];
    expect([isQuiet, inserted, title]).toEqual([true, 0, 'Decision log · arango-services']);
    for (const text of [shown.replaceAll(/[\n\t]/g, ' '), labels]) expect(text).toBe(printable(text));
    expect(shown).not.toMatch(/[xy]{300}/);
    return shown;
  }

  test('names in lines of each format are text, also in the name of the log', async () => {
    await using mock = await openShop();
    await person.open(`${await serveConsole(mock)}#/log`);
    await person.drop(field, '<img src=x onerror=window.executed=1>\u202egol.log', hostileLog());
    await person.sees('Unused permissions', 'Would be denied', 'lines without a decision');
    await person.click('Show more users');
    for (let turn = 0; turn < 3; turn += 1)
      await person.run(`for (const one of document.querySelectorAll('main button')) {
      if (one.textContent === 'Show more') one.click(); } for (const one of document.querySelectorAll('main summary')) one.click();`);
    await person.sees('too-long', 'incomplete', 'foreign');
    expect(await expectPlain()).toContain('<img src=x onerror=');
    // Each name narrows the view, and the address takes it.
    const links = `return document.querySelectorAll('section[aria-label="By user"] button.link').length;`;
    await expect.poll(() => person.run(links)).toBeGreaterThan(15);
    const count = Number(await person.run(links));
    for (let i = 0; i < count; i += 1) {
      await person.run(
        `document.querySelectorAll('section[aria-label="By user"] button.link')[arguments[0]].click();`,
        i,
      );
      await person.sees('Only ');
      await person.run(
        `[...document.querySelectorAll('main button')].find((one) => one.textContent.startsWith('Only ')).click();`,
      );
      await person.missesText('Only ');
    }
    await expectPlain();
  });

  test('names in a permissions file, in its problems and in its own name are text', async () => {
    await using mock = await openShop();
    await person.open(`${await serveConsole(mock)}#/log`);
    await person.drop(field, 'sidecar.log', hostileLog());
    await person.sees('Unused permissions');
    const valid = hostileNames.filter((odd) => odd.length < 100 && !odd.includes('\n') && !odd.includes('\u001b'));
    await person.drop(fileField, '\u202elmay.snoissimrep<img src=x onerror=window.executed=1>', hostileFile(valid));
    await person.sees('lmay.snoissimrep<img', 'flip');
    expect(await expectPlain()).toContain(
      'What \ufffdlmay.snoissimrep<img src=x onerror=window.executed=1> would change',
    );
    const broken = JSON.stringify({ roles: Object.fromEntries(hostileNames.map((odd) => [odd, { polices: [odd] }])) });
    await person.drop(fileField, 'broken\u202e.json', broken);
    await person.sees('What broken\ufffd.json would change', 'policies');
    await expectPlain();
    await person.click('Compare');
    await person.drop(fileField, 'broken\u202e.json', broken);
    await person.sees('Compare with broken\ufffd.json', 'policies');
    const text = String(await person.run('return document.body.innerText;')).replaceAll(/[\n\t]/g, ' ');
    expect(text).toBe(printable(text));
  });

  test('a log of the wrong field, several files, and a file beside the view have an answer', async () => {
    await using mock = await openShop();
    await person.open(`${await serveConsole(mock)}#/log`);
    const drop = `const dataTransfer = new DataTransfer();
      for (const name of arguments[1]) dataTransfer.items.add(new File([arguments[2]], name));
      const event = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true });
      document.querySelector(arguments[0]).dispatchEvent(event);
      return event.defaultPrevented;`;
    const log = textOf(bytesOf([decisionOf()]));
    await person.sees('No log yet');
    expect(await person.run(drop, 'header', ['first\u202e.log', 'second.log'], log)).toBe(true);
    await person.sees('Of 2 files only the first is read: first\ufffd.log', '1 decision in 1 line');
    await person.click('Dismiss the message');
    expect(await person.run(drop, '.drop', ['a.log', 'b.log', 'c.log'], log)).toBe(true);
    await person.sees('Of 3 files only the first is read: a.log', '1 decision in 1 line', 'Unused permissions');
    const big = `const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(Array(11).fill('x'.repeat(1000000)), 'sidecar.log'));
      document.querySelector('section .drop').dispatchEvent(
        new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));`;
    await person.run(big);
    await person.sees('The file holds more than 10 MB');
    await person.drop(fileField, 'next.json', listOnly);
    await person.sees('What next.json would change', '1 would be denied');
    await person.missesText('The file holds more than 10 MB');
  });

  test('another view leaves a log that is read alone; another file takes its place and stops the server', async () => {
    let [opened, closed] = [0, 0];
    const { address } = await serveLog(
      async function* () {
        opened += 1;
        try {
          for (;;) {
            yield bytesOf([decisionOf()]);
            await new Promise((resolve) => setTimeout(resolve, 5));
          }
        } finally {
          closed += 1;
        }
      },
      { name: '<b>\u202egol.racedis', size: 1_000_000_000 },
    );
    await person.open(address);
    await person.click('Decision log');
    await person.sees('Reading <b>\ufffdgol.racedis');
    await person.click('Tokens');
    await person.sees('No token yet');
    await person.click('Decision log');
    await person.sees('Reading <b>\ufffdgol.racedis');
    expect([opened, closed]).toEqual([1, 0]);
    await person.run(
      `const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([arguments[0]], 'second.log'));
      document.querySelector('main').dispatchEvent(
        new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));`,
      textOf(bytesOf([decisionOf()])),
    );
    await person.sees('second.log', '1 decision in 1 line');
    await expect.poll(() => closed).toBe(1);
    // The log of the command line is offered again after this one.
    await person.click('Close the log');
    await person.click('Read <b>\ufffdgol.racedis');
    await person.sees('Reading <b>\ufffdgol.racedis');
    expect(opened).toBe(2);
    // Leaving the page stops the server as well.
    await person.open('about:blank');
    await expect.poll(() => closed).toBe(2);
  });
});
