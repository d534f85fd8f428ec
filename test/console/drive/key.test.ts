import { describe, expect, test } from 'vitest';
import { listen } from '../../../src/console/mock/node.ts';
import { browsers } from './browsers.ts';
import { Person } from './person.ts';
import { openShop } from './shop.ts';

describe.each(browsers.filter((browser) => browser.isInstalled()))('in $name', (browser) => {
  test('takes the key out of every address that it is pasted into', async () => {
    await using mock = await openShop();
    const { port, console } = await listen(mock, { console: true, host: '0.0.0.0' });
    const key = console?.key ?? '';
    const url = `http://127.0.0.1:${port}/_console/`;
    const hands = await browser.open();
    const person = new Person(browser.name, hands);
    try {
      await person.open(`${url}#key=wrong%20`);
      await person.sees('this is not the key that was printed');
      expect(await person.address()).toBe(url);
      // The page is there already: only the fragment changes.
      await person.run('location.hash = arguments[0];', `key=${key}%20`);
      await person.sees('6 requests');
      await person.click('Tokens');
      await person.run('location.hash = arguments[0];', `key=${key}`);
      await person.sees('Read a token');
      await expect.poll(() => person.address()).toBe(`${url}#/tokens`);
    } finally {
      await person.close();
    }
  });
});
