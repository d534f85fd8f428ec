import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type ElementHandle, type Page } from 'playwright';
import { findProgram } from '../../../scripts/lib/find-program.ts';
import {
  endProgram,
  firefox,
  miniBrowser,
  startOnScreen,
  startProgram,
  webkitSettings,
  xvfb,
} from '../../../scripts/runtimes/browsers.ts';
import type { Hands } from './hands.ts';
import { type Command, overHttp, overMarionette, webDriverHands } from './webdriver.ts';

/** A browser that the tests drive. */
export interface Driven {
  readonly name: string;
  isInstalled(): boolean;
  open(): Promise<Hands>;
}

const chromiumPath = () => process.env.CHROME_PATH ?? findProgram('chromium');
const webKitDriver = () => findProgram('WebKitWebDriver');

/** Starts Chromium without a profile. */
function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath() ?? '', args: ['--no-sandbox', '--disable-gpu'] });
}

/** The hands of a page in Chromium. */
function chromiumHands(first: Page, close: () => Promise<void>): Hands {
  let page = first;
  const call = (script: string, args: readonly unknown[]) =>
    `(function () { ${script} }).apply(undefined, ${JSON.stringify(args)})`;
  return {
    close,
    go: async (url) => void (await page.goto(url)),
    async openTab() {
      page = await page.context().newPage();
    },
    run: (script, ...args) => page.evaluate(call(script, args)),
    async clickOn(script, ...args) {
      // The cast: the script returns an element.
      const handle = (await page.evaluateHandle(call(script, args))) as ElementHandle;
      await handle.click();
    },
    write: (text) => page.keyboard.type(text),
    press: (key) => page.keyboard.press(key),
    picture: () => page.screenshot(),
  };
}

/** Opens a page in Chromium, with the system's choice of colours and the size of a window. */
export async function openChromium(options: BrowserContextOptions = {}): Promise<{ hands: Hands; page: Page }> {
  const browser = await launchChromium();
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  return { page, hands: chromiumHands(page, () => browser.close()) };
}

async function openFirefox(): Promise<Hands> {
  const profile = await mkdtemp(join(tmpdir(), 'arango-services-firefox-'));
  await writeFile(join(profile, 'user.js'), 'user_pref("marionette.port", 0);\n');
  const args = [
    '--headless',
    '--no-remote',
    '--marionette',
    '--width',
    '1280',
    '--height',
    '900',
    '--profile',
    profile,
  ];
  const child = startProgram(firefox() ?? '', args);
  const portFile = join(profile, 'MarionetteActivePort');
  while (!existsSync(portFile)) await new Promise((resolve) => setTimeout(resolve, 50));
  const { command, socket } = await overMarionette(Number(await readFile(portFile, 'utf8')));
  return webDriverHands(command, async () => {
    socket.destroy();
    endProgram(child);
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  });
}

/** A port that is free now. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The cast: a server that listens on a port has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Connects once the driver listens. */
async function whenListening(port: number, capabilities: object): Promise<Command> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await overHttp(port, capabilities);
    } catch (error) {
      if (tries === 100 || !(error instanceof TypeError)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function openWebKit(): Promise<Hands> {
  const port = await freePort();
  const profile = await mkdtemp(join(tmpdir(), 'arango-services-webkit-'));
  const child = await startOnScreen(webKitDriver() ?? '', [`--port=${port}`], { ...webkitSettings, HOME: profile });
  const options = { binary: miniBrowser(), args: ['--automation'] };
  const command = await whenListening(port, { alwaysMatch: { 'webkitgtk:browserOptions': options } });
  const hands = webDriverHands(command, async () => {
    await command('', 'DELETE', '').catch(() => {});
    endProgram(child);
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  });
  return { ...hands, picture: () => whilePainting(hands, hands.picture) };
}

/** Repaints the page while a step runs: WebKitGTK takes a screenshot when it draws, and a still page is never drawn. */
async function whilePainting<T>(hands: Hands, step: () => Promise<T>): Promise<T> {
  await hands.run(`let frame = 0;
    window.repaint = setInterval(() => {
      document.body.style.outline = frame++ % 2 === 0 ? '1px solid transparent' : '';
    }, 20);`);
  try {
    return await step();
  } finally {
    await hands.run(`clearInterval(window.repaint); document.body.style.outline = '';`);
  }
}

/** The browsers of the tests. */
export const browsers: readonly Driven[] = [
  {
    name: 'chromium',
    isInstalled: () => chromiumPath() !== undefined,
    open: async () => (await openChromium()).hands,
  },
  { name: 'firefox', isInstalled: () => firefox() !== undefined, open: openFirefox },
  {
    name: 'webkitgtk',
    isInstalled: () => webKitDriver() !== undefined && miniBrowser() !== undefined && xvfb() !== undefined,
    open: openWebKit,
  },
];
