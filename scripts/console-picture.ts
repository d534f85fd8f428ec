// Takes the picture of the console for README.md: the example of the playground after a few requests, in Chromium.
// `pngquant --quality 80-98` takes a further two thirds off the file.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from 'arango-services';
import { createMock } from 'arango-services/mock';
import { listen } from 'arango-services/mock/node';
import { chromium } from 'playwright';
import { example } from '../src/tools/playground/example.ts';
import { root } from './lib/exec.ts';
import { findChromium } from './lib/find-chromium.ts';
import { shrinkPng } from './lib/shrink-png.ts';

const most = 100_000;
const questions = [
  ['alice', 'orders:read', 'order:7'],
  ['bob', 'orders:write', 'order:7'],
  ['alice', 'orders:list', 'order:8'],
  ['alice', 'orders:write', 'order:8'],
  ['bob', 'orders:read', 'order:archive-2024'],
] as const;

const executablePath = findChromium('THE PICTURE OF THE CONSOLE');
if (executablePath !== undefined) {
  await using mock = await createMock({ ...example, now: '2026-11-20T12:00:00Z' });
  mock.route('GET', '/_db/:db/orders/:id', ({ params }) => ({ body: { id: params.id } }));
  const client = createClient({ ...mock.connection, database: 'shop' });
  for (const [user, action, resource] of questions) {
    mock.clock.advance('3s');
    await client.authorization.isAllowed({ user, action, resource });
    const authorization = `bearer ${await mock.tokens.issue({ user })}`;
    mock.clock.advance('1s');
    await mock.fetch(`${mock.connection.url}/_db/shop/orders/${resource.slice(6)}`, { headers: { authorization } });
  }
  const { console: page } = await listen(mock, { console: true });
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-lcd-text'],
  });
  try {
    const view = await browser.newPage({ viewport: { width: 1080, height: 450 }, colorScheme: 'light' });
    await view.goto(`${page?.url}#/requests?id=${mock.requests.length - 1}`);
    await view.getByText('Binding').first().waitFor();
    const path = join(root, 'docs/console.png');
    const picture = shrinkPng(await view.screenshot());
    await writeFile(path, picture);
    const size = picture.length;
    console.log(`docs/console.png: ${size} bytes`);
    if (size >= most) {
      console.error(`The picture may have at most ${most} bytes.`);
      process.exitCode = 1;
    }
  } finally {
    await browser.close();
  }
}
