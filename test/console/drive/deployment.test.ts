import { describe, expect, onTestFinished, test } from 'vitest';
import { createDeploymentConsole } from '../../../src/console/deployment-api.ts';
import { mockPool } from '../../../src/console/mock/node.ts';
import { serveConsole } from '../../../src/console/server/serve.ts';
import { createReplica } from '../../../src/enforce/replica/index.ts';
import { createClient, credentials } from '../../../src/index.ts';
import { browsers } from './browsers.ts';
import { Person } from './person.ts';
import { openShop } from './shop.ts';

describe.each(browsers.filter((browser) => browser.isInstalled()))('a deployment in $name', (browser) => {
  test('shows only what there is, and says when its copy or the command is gone', async () => {
    await using mock = await openShop();
    const token = credentials.bearer(await mock.tokens.issue({ user: null }));
    await using client = createClient({ ...mock.connection, credentials: token });
    const replica = createReplica({ transport: mockPool(mock), credentials: token });
    await replica.ready();
    const api = createDeploymentConsole({ url: 'http://db.test', replica, client });
    const served = await serveConsole(api, 0);
    onTestFinished(async () => {
      api.close();
      await replica.close();
    });
    const person = new Person(`deployment-${browser.name}`, await browser.open());
    onTestFinished(() => person.close());
    await person.open(`${served.url}#key=${served.key}`);
    await person.sees('This is a deployment', 'Live', 'Some resources');
    await person.click('Export');
    await person.sees('Form');
    await person.missesText('faults');
    await person.missesText('Clock');
    await person.click('What if');
    await person.type('User', 'alice');
    await person.type('Action', 'orders:write');
    await person.type('Resource', 'order:7');
    await person.sees('Who can orders:write on order:7', 'bob');
    await person.picture('what-if');
    await replica.close();
    await person.sees('disconnected: the copy was closed');
    await served.close();
    await person.sees('Disconnected: shows what was there');
    expect(await person.address()).toContain('what-if');
  }, 60_000);
});
