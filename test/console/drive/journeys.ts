import { expect } from 'vitest';
import type { Mock } from '../../../src/mock/index.ts';
import type { Person } from './person.ts';
import { askSomething } from './shop.ts';

/** A way of a person through a view. */
export interface Journey {
  readonly name: string;
  go(person: Person, place: Place): Promise<void>;
}

/** The console that is driven, and the mock behind it. */
interface Place {
  readonly url: string;
  readonly mock: Mock;
}

/** The steps of a person through each view; every browser takes all of them. */
export const journeys: readonly Journey[] = [
  {
    name: 'requests: read the log, filter it, open a request, see new ones come in',
    async go(person, { url, mock }) {
      await person.open(`${url}#/requests`);
      await person.sees('This is a mock', '/evaluate', '6 requests');
      await person.choose('Decision', 'Deny');
      await person.sees('2 of 6 requests');
      await person.type('Text', 'orders:write');
      await person.sees('1 of 6 requests');
      expect(await person.address()).toMatch(/#\/requests\?decision=Deny&text=orders%3Awrite$/);
      await person.click('orders:write on order:7');
      await person.sees('alice', 'Binding', 'clerk', 'read-orders', '"orders:write"', 'Headers', 'Body');
      await person.picture('requests');
      await person.type('Text', '');
      await askSomething(mock);
      await person.sees('4 of 12 requests');
    },
  },
  {
    name: 'requests: from a denial to its policy, role and binding, and from a role to its users',
    async go(person, { url }) {
      await person.open(`${url}#/requests?id=2`);
      await person.sees('Nothing allows it');
      await person.click('read-orders');
      await person.sees('Change policy read-orders');
      expect(await person.address()).toMatch(/#\/permissions\?policy=read-orders$/);
      await person.press('Escape');
      await person.missesText('Change policy read-orders');
      // A dialog is hidden a moment before it says that it was closed.
      await expect.poll(() => person.address()).toMatch(/#\/permissions$/);
      await person.click('alice');
      await person.sees('Grants of alice');
      await person.click('clerk');
      await person.sees('Change role clerk');
      await person.press('Escape');
      await person.missesText('Change role clerk');
      await person.open(`${url}#/permissions?role=clerk&user=alice`);
      await person.sees('Change the scope of alice in clerk');
      await person.click('Delete…');
      await person.sees('alice loses all that role clerk grants', 'Lost');
      await person.open(`${url}#/permissions?policy=lost`);
      await person.sees('New policy lost');
    },
  },
  {
    name: 'requests: a reload keeps the view, its filters and the open request',
    async go(person, { url }) {
      await person.open(`${url}#/requests?user=bob&id=3`);
      await person.sees('of 6 requests', 'manager');
      await person.reload();
      await person.sees('of 6 requests', 'manager');
      expect(await person.address()).toMatch(/#\/requests\?user=bob&id=3$/);
    },
  },
  {
    name: 'permissions: read the matrix, open a cell and the grants of a user',
    async go(person, { url }) {
      await person.open(`${url}#/permissions`);
      await person.type('Resource', 'order:archive-1');
      // The actions of the platform are there for those who ask.
      await person.missesText('rbac:GetPolicy');
      await person.type('Actions', 'rbac:getpolicy');
      await person.sees('rbac:GetPolicy');
      await person.type('Actions', '');
      await person.click('bob, orders:read: Explicit Deny');
      await person.sees('bob: orders:read', 'no-archive', 'order:archive*');
      await person.press('Escape');
      await person.missesText('bob: orders:read');
      await person.click('alice');
      await person.sees('Grants of alice', 'order:*', 'role clerk');
      await person.picture('permissions');
    },
  },
  {
    name: 'permissions: without a resource and with a pattern, cells say all, some or none',
    async go(person, { url }) {
      await person.open(`${url}#/permissions`);
      await person.sees('Some resources', 'No resource');
      expect(await person.hint('alice, orders:read: Some resources')).toContain('orders:read on order:*');
      await person.type('Resource', 'order:*');
      expect(await person.hint('alice, orders:read: All resources')).toContain('orders:read on order:*');
      expect(await person.hint('bob, orders:read: Some resources')).toContain('order:archive*');
      await person.picture('patterns');
      await person.click('bob, orders:read: Some resources');
      await person.sees('Grants of bob');
    },
  },
  {
    name: 'what if: a denial names the nearest miss, and who can do it',
    async go(person, { url }) {
      await person.open(`${url}#/what-if?user=alice&action=orders:write&resource=order:7`);
      await person.sees('Who can orders:write on order:7', 'bob');
      await person.type('Action', 'orders:read');
      await person.type('Resource', 'invoice:1');
      await person.sees('Nearest miss', 'its resources are order:*');
      await person.picture('nearest-miss');
    },
  },
  {
    name: 'a lost connection is shown at once, with the age of what is shown',
    async go(person, { url, mock }) {
      await person.open(`${url}#/permissions`);
      await person.sees('Live');
      await mock[Symbol.asyncDispose]();
      await person.sees('Disconnected: shows what was there');
      await person.picture('disconnected');
    },
  },
  {
    name: 'permissions: change a policy after its preview, and undo it with one key',
    async go(person, { url, mock }) {
      const mayWrite = () =>
        mock.explain({ user: 'alice', action: 'orders:write', resource: 'order:7' }).decision.allowed;
      await person.open(`${url}#/permissions?resource=order:7`);
      await person.click('Edit role clerk');
      await person.click('write-orders');
      await person.sees('Gained', 'alice', 'orders:write');
      await person.picture('preview');
      expect(mayWrite()).toBe(false);
      await person.click('Apply');
      await person.sees('Done: Change role clerk.');
      expect(mayWrite()).toBe(true);
      await person.press('u');
      await person.sees('Undone: Change role clerk.');
      expect(mayWrite()).toBe(false);
      await person.click('Dismiss the message');
      await person.click('Show request');
      await person.sees('The console, as the mock');
    },
  },
  {
    name: 'decision log: the decisions for the requests of the mock',
    async go(person, { url, mock }) {
      await person.open(`${url}#/log`);
      await person.click('Read the requests of this mock');
      await person.sees('4 decisions in 4 lines', 'By user', 'bob');
      await person.type('Search users, actions and questions', 'bob');
      await person.missesText('orders:read on order:7');
      await askSomething(mock);
      await person.click('Read it again');
      await person.sees('8 decisions in 8 lines');
    },
  },
  {
    name: 'what if: the answer changes while typing',
    async go(person, { url }) {
      await person.open(`${url}#/what-if`);
      await person.sees('Ask what would be decided');
      await person.type('User', 'bob');
      await person.type('Action', 'orders:write');
      await person.type('Resource', 'order:7');
      await person.sees('Allow', 'manager', 'write-orders');
      await person.type('Resource', 'order:archive-1');
      await person.sees('Explicit Deny');
      await person.picture('what-if');
    },
  },
  {
    name: 'tokens: mint one, read it, forge one; neither is in the address',
    async go(person, { url }) {
      await person.open(`${url}#/tokens`);
      await person.type('User', 'alice');
      await person.click('Mint');
      await person.sees('Made a valid token.');
      await person.click('Read it');
      await person.sees('Valid', 'Expires', 'preferred_username', 'alice');
      await person.picture('tokens');
      const token = await person.valueOf('Token');
      expect(token.split('.')).toHaveLength(3);
      await person.choose('Flaw', 'Expired a second ago');
      await person.click('Forge');
      await person.sees('Made a token that is not valid');
      expect(await person.address()).toMatch(/#\/tokens$/);
      await person.open(`${url}#/what-if`);
      await person.choose('Subject', 'A token');
      await person.type('Token', token);
      await person.type('Action', 'orders:read');
      await person.type('Resource', 'order:7');
      await person.sees('for alice', 'clerk');
      expect(decodeURIComponent(await person.address())).not.toContain(token.slice(0, 20));
    },
  },
  {
    name: 'clock and faults: move the clock, script a fault, take and restore a snapshot, export',
    async go(person, { url, mock }) {
      await person.open(`${url}#/clock`);
      await person.sees('2026-11-20 12:00:00', 'Stopped');
      await person.click('+10 min');
      await person.sees('2026-11-20 12:10:00');
      expect(mock.clock.now()).toBe(Date.parse('2026-11-20T12:10:00Z'));
      await person.type('Name', 'before');
      await person.click('Take a snapshot');
      await person.sees('before');
      await person.click('+1 h');
      await person.sees('2026-11-20 13:10:00');
      await person.type('Path', '/_api/version');
      await person.click('Add the fault');
      await person.sees('status 503');
      await person.picture('clock');
      expect((await mock.fetch(`${mock.connection.url}/_api/version`)).status).toBe(503);
      await person.sees('Happened');
      await person.click('Restore before');
      await person.sees('2026-11-20 12:10:00', 'No faults are scripted');
      await person.click('Export');
      await person.sees('Save as seed.json');
      expect(await person.valueOfBox('seed.json')).toContain('read-orders');
      expect(await person.valueOfBox('seed.json')).not.toContain('pw-alice');
    },
  },
  {
    name: 'compare: drop a file, one with a mistake, and a hostile one',
    async go(person, { url }) {
      const field = 'A permissions.yaml: choose it, or drop it here';
      const clerk = (actions: string) =>
        `policies: { read-orders: { statements: [{ effect: Allow, actions: [${actions}], resources: ["order:*"] }] } }\n`;
      await person.open(`${url}#/compare`);
      await person.sees('No file yet');
      await person.drop(field, 'shop.yaml', clerk('"orders:read", "orders:list", "orders:cancel"'));
      await person.sees('Compare with shop.yaml', 'Applying the file would change', 'Gained', 'alice', 'orders:cancel');
      await person.picture('compare');
      await person.drop(field, 'shop.yaml', clerk('"orders:read", "orders:list"'));
      await person.sees('The state is as the file says.');
      await person.drop(field, 'shop.yaml', 'polices: {}\n');
      await person.sees('1:1', 'unknown field "polices" (did you mean "policies"?)');
      const hostile = '<img src=x onerror="window.executed=1">';
      await person.drop(field, `${hostile}.yaml`, `policies: { '${hostile}': { statements: [] } }\n`);
      await person.sees(`Compare with ${hostile}.yaml`, 'Applying the file would change', `policy "<img src=x`);
      expect(await person.run('return window.executed === undefined;')).toBe(true);
    },
  },
  {
    name: 'keyboard alone: skip link, the list, the matrix and a dialog',
    async go(person, { url }) {
      await person.open(`${url}#/requests`);
      await person.sees('6 requests');
      await person.tabTo('Skip to the view');
      await person.press('Enter', 'Tab');
      expect(await person.focused()).toBe('Text');
      await person.tabTo('Requests, newest first');
      await person.press('ArrowDown', 'ArrowDown');
      await person.sees('Headers');
      expect(await person.focused()).toBe('Requests, newest first');
      await person.press('End', 'Enter');
      expect(await person.focused()).toBe('Request');
      await person.open(`${url}#/permissions?resource=order:7`);
      await person.sees('Bindings', 'carol');
      await person.tabTo('alice');
      await person.press('ArrowRight');
      const cell = await person.focused();
      expect(cell).toMatch(/^alice, /);
      await person.press('Enter');
      await person.sees('alice: ');
      for (let presses = 0; presses < 8; presses += 1) {
        await person.press('Tab');
        expect(
          await person.run(
            'return document.activeElement.closest("dialog") !== null || document.activeElement === document.body',
          ),
        ).toBe(true);
      }
      await person.press('Escape');
      await person.missesText('alice: ');
      expect(await person.focused()).toBe(cell);
    },
  },
];
