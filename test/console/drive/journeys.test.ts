import { afterAll, beforeAll, describe, test } from 'vitest';
import { browsers } from './browsers.ts';
import { journeys } from './journeys.ts';
import { Person } from './person.ts';
import { serveConsole } from './serve.ts';
import { openShop } from './shop.ts';

describe.each(browsers.filter((browser) => browser.isInstalled()))('in $name', (browser) => {
  let person: Person;

  beforeAll(async () => {
    person = new Person(browser.name, await browser.open());
  }, 60_000);

  afterAll(() => person?.close());

  test.each(journeys)('$name', { timeout: 60_000 }, async ({ go }) => {
    await using mock = await openShop();
    await go(person, { mock, url: await serveConsole(mock) });
  });
});
