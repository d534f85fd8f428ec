import type { BrowserContextOptions } from 'playwright';
import { describe, expect, test } from 'vitest';
import type { MockConfig } from '../../../src/mock/index.ts';
import { bytesOf, decisionOf } from '../log/logs-of-tests.ts';
import { browsers, openChromium } from './browsers.ts';
import { faultsOfLooks } from './faults-of-looks.ts';
import { Person } from './person.ts';
import { serveConsole } from './serve.ts';
import { openShop } from './shop.ts';

const ways: readonly (readonly [name: string, options: BrowserContextOptions, rules: 'all' | 'colors'])[] = [
  ['light', { colorScheme: 'light' }, 'all'],
  ['dark', { colorScheme: 'dark' }, 'colors'],
  ['narrow', { colorScheme: 'light', reducedMotion: 'reduce', viewport: { width: 320, height: 700 } }, 'all'],
];

const decisionLog = new TextDecoder().decode(
  bytesOf([
    'starting',
    decisionOf({ enforced: false }),
    decisionOf({ enforced: false, time: '2026-11-20T12:07:00Z', action: 'orders:write', effect: 'Deny' }),
    decisionOf({ enforced: false, time: '2026-11-20T13:00:00Z', subject: { user: 'carol' }, effect: 'Deny' }),
    decisionOf({ enforced: false, subject: { user: 'x'.repeat(1_000) } }),
  ]),
);

const failure = { reason: 'failed', effect: 'Deny' } as const;
const failedLog = new TextDecoder().decode(bytesOf([decisionOf(failure), decisionOf({ ...failure, action: 'a:b' })]));

const withGroups: MockConfig = {
  platform: 'next',
  fidelity: 'sidecar',
  groupBindings: [
    {
      group: 'auditors',
      role: 'clerk',
      scope: { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] },
    },
  ],
};

/** Each view with something in it, and without. */
const views: readonly (readonly [
  name: string,
  fragment: string,
  go: (person: Person) => Promise<void>,
  config?: MockConfig,
])[] = [
  ['log', '#/requests', (person) => person.sees('6 requests')],
  ['filtered-log', '#/requests?text=nothing', (person) => person.sees('Clear a filter')],
  ['request', '#/requests?id=2', (person) => person.sees('Headers', 'read-orders')],
  ['matrix', '#/permissions?resource=order:7', (person) => person.sees('Explicit Deny', 'Bindings', 'carol')],
  ['patterns', '#/permissions', (person) => person.sees('Some resources', 'No resource')],
  [
    'nearest-miss',
    '#/what-if?user=alice&action=orders:read&resource=invoice:7',
    (person) => person.sees('Nearest miss', 'Who can'),
  ],
  ['no-matrix', '#/permissions?users=nothing', (person) => person.sees('There is nothing to compare')],
  [
    'cell',
    '#/permissions?resource=order:7',
    async (person) => {
      await person.click('bob, orders:write: Allow');
      await person.sees('manager', 'Copy the explanation');
    },
  ],
  [
    'grants',
    '#/permissions',
    async (person) => {
      // Not the user of a role, whom a list below the matrix names.
      await person.sees('Some resources', 'bob');
      await person.click('bob');
      await person.sees('role manager');
    },
  ],
  [
    'edit',
    '#/permissions',
    async (person) => {
      await person.click('Edit policy read-orders');
      await person.type('Actions, one per line', 'orders:list');
      await person.sees('Lost', 'alice');
    },
  ],
  [
    'edited',
    '#/permissions',
    async (person) => {
      await person.click('New role');
      await person.type('Name', 'auditor');
      await person.sees('The call');
      await person.click('Apply');
      await person.sees('Done: New role auditor.', 'Edits of the console');
    },
  ],
  ['no-question', '#/what-if', (person) => person.sees('Ask what would be decided')],
  ['what-if', '#/what-if?user=bob&action=orders:read&resource=order:archive-1', (person) => person.sees('no-archive')],
  ['no-token', '#/tokens', (person) => person.sees('No token yet')],
  [
    'tokens',
    '#/tokens',
    async (person) => {
      await person.type('User', 'alice');
      await person.choose('Flaw', 'Expired a second ago');
      await person.click('Forge');
      await person.click('Read it');
      await person.sees('Not valid', 'Claims');
    },
  ],
  [
    'clock',
    '#/clock',
    async (person) => {
      await person.sees('Stopped');
      await person.click('Add the fault');
      await person.click('Export');
      await person.sees('Save as seed.json', 'once more');
    },
  ],
  ['no-decision-log', '#/log', (person) => person.sees('No log yet')],
  [
    'decision-log',
    '#/log?user=alice',
    async (person) => {
      await person.drop('A decision log, also gzip: choose it, or drop it here', 'sidecar.log', decisionLog);
      await person.sees('Only alice', 'By user', 'Would be denied', 'Unused permissions', 'no-archive');
      await person.click('1 line without a decision');
      await person.click('As a table');
    },
  ],
  [
    'failures-only',
    '#/log',
    async (person) => {
      await person.drop('A decision log, also gzip: choose it, or drop it here', 'failed.log', failedLog);
      await person.sees('Not counted: 2 decisions', 'The log has no request that can be decided again.');
      await person.missesText('would deny none');
    },
  ],
  [
    'file-beside-log',
    '#/log',
    async (person) => {
      await person.drop('A decision log, also gzip: choose it, or drop it here', 'sidecar.log', decisionLog);
      await person.sees('Unused permissions');
      await person.drop(
        'A permissions.yaml: choose it, or drop it here',
        'x'.repeat(250),
        '{ "roles": { "a": 1, "b": 2 } }',
      );
      await person.sees('xxx… (250 characters) would change', 'expected an object, got a number');
      await person.drop(
        'A permissions.yaml: choose it, or drop it here',
        'next.json',
        '{ "manage": { "users": ["alice"] } }',
      );
      await person.sees('What next.json would change', 'flip');
    },
  ],
  [
    'groups',
    '#/permissions',
    async (person) => {
      await person.choose('Rows', 'Groups');
      await person.sees('Group auditors → clerk', 'of logged requests: no call lists others.');
      await person.click('auditors, orders:read: Some resources');
      await person.sees('Grants of auditors', 'role clerk');
    },
    withGroups,
  ],
  [
    'groups-of-a-user',
    '#/what-if?user=carol&roles=Domain Users, auditors&action=orders:read&resource=order:7',
    (person) => person.sees('Group auditors', 'Allow', 'Who can'),
    withGroups,
  ],
  ['no-file', '#/compare', (person) => person.sees('Drop a permissions.yaml')],
];

describe.skipIf(!browsers.find(({ name }) => name === 'chromium')?.isInstalled()).each(ways)(
  '%s',
  (way, options, rules) => {
    test('axe finds nothing, nothing is wider than the page, and a picture is kept of each view', async () => {
      const { hands, page } = await openChromium(options);
      const person = new Person(`looks-${way}`, hands);
      const found: string[] = [];
      page.on('console', (message) => message.type() === 'error' && found.push(message.text()));
      page.on('pageerror', (error) => found.push(error.message));
      try {
        for (const [name, fragment, go, config] of views) {
          await using mock = await openShop(config);
          await person.open((await serveConsole(mock)) + fragment);
          await go(person);
          await person.picture(name);
          found.push(...(await faultsOfLooks(page, name, rules)));
          // Before the mock closes, which the browser would report.
          await page.goto('about:blank');
        }
      } finally {
        await hands.close();
      }
      expect(found).toEqual([]);
    }, 180_000);
  },
);
