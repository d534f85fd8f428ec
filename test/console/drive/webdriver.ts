import { connect, type Socket } from 'node:net';
import type { Hands } from './hands.ts';

/** Sends a command of WebDriver; `path` is that of the HTTP protocol, `name` that of Marionette. */
export type Command = (
  name: string,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  body?: object,
) => Promise<unknown>;

// The keys that WebDriver encodes in the private use area.
const keys: Readonly<Record<string, string>> = {
  Tab: '\uE004',
  Enter: '\uE007',
  Escape: '\uE00C',
  End: '\uE010',
  Home: '\uE011',
  ArrowLeft: '\uE012',
  ArrowUp: '\uE013',
  ArrowRight: '\uE014',
  ArrowDown: '\uE015',
  Delete: '\uE017',
};

const elementKey = 'element-6066-11e4-a52e-4f735466cecf';

/** The hands of a browser that takes commands of WebDriver. */
export function webDriverHands(command: Command, close: () => Promise<void>): Hands {
  const run = (script: string, ...args: readonly unknown[]) =>
    command('WebDriver:ExecuteScript', 'POST', '/execute/sync', { script, args });
  const write = async (texts: readonly string[]) => {
    const actions = texts.flatMap((value) => [
      { type: 'keyDown', value },
      { type: 'keyUp', value },
    ]);
    const sources = { actions: [{ type: 'key', id: 'keyboard', actions }] };
    await command('WebDriver:PerformActions', 'POST', '/actions', sources);
  };
  return {
    run,
    close,
    go: async (url) => void (await command('WebDriver:Navigate', 'POST', '/url', { url })),
    async openTab() {
      // The cast: the answer of both protocols.
      const { handle } = (await command('WebDriver:NewWindow', 'POST', '/window/new', { type: 'tab' })) as {
        readonly handle: string;
      };
      await command('WebDriver:SwitchToWindow', 'POST', '/window', { handle });
    },
    async clickOn(script, ...args) {
      // The cast: a script that returns an element gives a reference.
      const id = ((await run(script, ...args)) as Record<string, string>)[elementKey];
      await command('WebDriver:ElementClick', 'POST', `/element/${id}/click`, { id });
    },
    write: (text) => write([...text]),
    press: (key) => write([keys[key] ?? key]),
    picture: async () => Buffer.from(String(await command('WebDriver:TakeScreenshot', 'GET', '/screenshot')), 'base64'),
  };
}

/** Commands over HTTP, as WebKitWebDriver takes them. */
export async function overHttp(port: number, capabilities: object): Promise<Command> {
  const send = async (method: string, path: string, body?: object): Promise<unknown> => {
    const sent = method === 'POST' ? JSON.stringify(body ?? {}) : null;
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, body: sent });
    const { value } = (await response.json()) as { readonly value: unknown };
    if (!response.ok) throw new Error(JSON.stringify(value));
    return value;
  };
  const { sessionId } = (await send('POST', '/session', { capabilities })) as { readonly sessionId: string };
  return (_, method, path, body) => send(method, `/session/${sessionId}${path}`, body);
}

/** Commands over Marionette, Firefox's own protocol: `<length>:[0, id, name, parameters]`. */
export async function overMarionette(port: number): Promise<{ command: Command; socket: Socket }> {
  const socket = connect(port, '127.0.0.1');
  const waiting = new Map<number, (error: unknown, value: unknown) => void>();
  let received = Buffer.alloc(0);
  let count = 0;
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    for (;;) {
      const colon = received.indexOf(':');
      const end = colon + 1 + Number(received.subarray(0, Math.max(0, colon)).toString());
      if (colon < 0 || received.length < end) return;
      const message: unknown = JSON.parse(received.subarray(colon + 1, end).toString());
      received = received.subarray(end);
      // The first message is a greeting, not an answer.
      if (Array.isArray(message)) waiting.get(message[1])?.(message[2], message[3]);
    }
  });
  const command: Command = (name, _, __, body = {}) =>
    new Promise((resolve, reject) => {
      count += 1;
      waiting.set(count, (error, value) => {
        if (error) return reject(new Error(JSON.stringify(error)));
        const isWrapped = typeof value === 'object' && value !== null && 'value' in value;
        resolve(isWrapped ? value.value : value);
      });
      const text = JSON.stringify([0, count, name, body]);
      socket.write(`${Buffer.byteLength(text)}:${text}`);
    });
  await command('WebDriver:NewSession', 'POST', '', {});
  return { command, socket };
}
