import { type ConsoleApi, type ConsoleEvent, consoleCalls, consoleWire } from '../api.js';
import { ConsoleError, type ConsoleErrorCode } from '../console-error.js';
import type { Backend } from './open-session.js';
import { readChunks } from './ui/read-chunks.js';

interface Envelope {
  readonly value?: unknown;
  readonly error?: { readonly code: ConsoleErrorCode; readonly message: string; readonly field?: string };
}

async function send(url: string, headers: Record<string, string>, body: unknown, signal?: AbortSignal) {
  try {
    return await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body ?? {}),
      credentials: 'same-origin',
      signal: signal ?? null,
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ConsoleError('network', 'The console does not answer. Is the command still running?');
  }
}

/** Reads the value of an answer. Throws the error that the server names. */
async function readValue(response: Response): Promise<unknown> {
  // The cast: the server is ours, and what it sends is its own JSON; anything else has neither field.
  const { value, error } = (await response.json().catch(() => ({}))) as Envelope;
  if (error !== undefined) throw new ConsoleError(error.code, error.message, error.field);
  if (!response.ok) throw new ConsoleError('failed', `The console answered with status ${response.status}.`);
  return value;
}

/** Reads lines of a stream, without empty ones. */
async function* readLines(body: ReadableStream<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of readChunks(body)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
  }
}

/** Connects the page to the console's server, with paths relative to the page. */
export function connect(base = document.baseURI): Backend {
  const at = (path: string) => new URL(path, base).href;
  let token = '';

  async function begin(key?: string): Promise<void> {
    const response = await send(at(consoleWire.session), {}, key === undefined ? {} : { key });
    // The cast: the server's own answer.
    token = ((await readValue(response)) as { readonly token: string }).token;
  }

  /** Sends a call. If the server was restarted, opens a new session and tries once more. */
  async function post(name: string, argument: unknown, signal?: AbortSignal): Promise<Response> {
    const once = () => send(at(consoleWire.call + name), { [consoleWire.tokenHeader]: token }, argument, signal);
    const response = await once();
    if (response.status !== 401) return response;
    await response.body?.cancel();
    await begin();
    return once();
  }

  async function openStream(name: 'events' | 'log', signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
    const response = await post(name, {}, signal);
    if (response.ok && response.body !== null) return response.body;
    await readValue(response);
    throw new ConsoleError('failed', `The console sends no ${name === 'log' ? 'log' : 'news'}.`);
  }

  async function* events(signal: AbortSignal): AsyncIterable<ConsoleEvent> {
    // The cast: the server's own lines.
    for await (const line of readLines(await openStream('events', signal))) yield JSON.parse(line) as ConsoleEvent;
  }

  async function* log(signal: AbortSignal): AsyncIterable<Uint8Array> {
    yield* readChunks(await openStream('log', signal));
  }

  const call = async (name: string, argument?: unknown) => readValue(await post(name, argument));
  const api = {
    events,
    log,
    ...Object.fromEntries(
      Object.keys(consoleCalls).map((name) => [name, (argument?: unknown) => call(name, argument)]),
    ),
  };
  // The cast: the types of arguments and answers are those of the contract, on both sides.
  return {
    async open(key) {
      await begin(key);
      return api as unknown as ConsoleApi;
    },
  };
}
