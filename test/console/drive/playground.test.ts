import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../../../scripts/lib/exec.ts';
import { browsers } from './browsers.ts';
import { Person } from './person.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};

/** Any web server: it serves the folder and knows nothing else. */
const server = createServer(async (request, response) => {
  const path = new URL(request.url ?? '/', 'http://localhost').pathname.replace(/\/$/, '/index.html');
  const content = await readFile(join(root, 'reports/playground', path)).catch(() => undefined);
  response.writeHead(content === undefined ? 404 : 200, { 'content-type': types[extname(path)] ?? 'text/plain' });
  response.end(content);
});
let url = '';

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The cast: a server that listens on a port has an AddressInfo.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterAll(() => void server.close());

const pack = (value: unknown) => deflateRawSync(JSON.stringify(value)).toString('base64url');
const hostile = '<img src=x onerror="window.executed=1">';
const allowAll = (name: string) => ({
  policies: { [name]: { statements: [{ effect: 'Allow', actions: ['a:b'], resources: ['*'], description: name }] } },
  roles: { [name]: { policies: [name], description: name } },
  bindings: [
    { user: name, role: name, scope: { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } },
  ],
});

describe.each(browsers.filter((browser) => browser.isInstalled()))('the playground in $name', (browser) => {
  let person: Person;
  beforeAll(async () => {
    person = new Person(`playground-${browser.name}`, await browser.open());
  }, 60_000);
  afterAll(() => person?.close());

  test('keeps an edited state in its address, for another tab', async () => {
    await person.open(`${url}#/permissions?resource=order:7`);
    await person.click('Edit role clerk');
    await person.click('write-orders');
    await person.sees('Gained', 'alice');
    await person.click('Apply');
    await person.sees('Done: Change role clerk.');
    await person.click('alice, orders:write: Allow');
    await person.picture('edited');
    const address = await person.address();
    expect(address).toMatch(/#\/permissions\?resource=order%3A7&state=[\w-]+$/);
    await person.open(address);
    await person.click('alice, orders:write: Allow');
    await person.sees('Copy the explanation');
  });

  test('reads a sample of a decision log, and decides it again after an edit', async () => {
    await person.open(`${url}#/log`);
    await person.click('Try a sample log');
    await person.sees('sample-sidecar.log', 'nightly-report', 'None of', 'no-archive');
    await person.sees('3 users, 4 actions');
    await person.click('Permissions');
    await person.click('Edit role clerk');
    await person.click('write-orders');
    await person.sees('Gained', 'alice');
    await person.click('Apply');
    await person.sees('Done: Change role clerk.');
    await person.click('Decision log');
    await person.sees('2 users, 3 actions', 'Denied in the log, would be allowed');
    await person.picture('log');
  });

  test('shows hostile names as text', async () => {
    await person.open(`${url}#/permissions?state=${pack(allowAll(hostile))}`);
    await person.sees(hostile);
    await person.click(`Edit policy ${hostile}`);
    await person.sees('Change policy');
    await person.open(
      `${url}#/what-if?user=${encodeURIComponent(hostile)}&action=a:b&state=${pack(allowAll(hostile))}`,
    );
    await person.sees('Allow', hostile);
    expect(
      await person.run('return window.executed === undefined && document.querySelector("img[src=x]") === null;'),
    ).toBe(true);
  });

  test('refuses a state with users, and says what is accepted', async () => {
    await person.open(`${url}#/permissions?state=${pack({ users: [{ name: 'eve', password: 'pw' }] })}`);
    await person.sees('The console does not open', 'may hold policies, roles and bindings, and nothing else');
  });

  test('names what is wrong in a state that the mock refuses', async () => {
    await person.open(`${url}#/?state=${pack({ bindings: [{ role: 'clerk' }] })}`);
    await person.sees('The console does not open', 'bindings[0]');
  });
});
