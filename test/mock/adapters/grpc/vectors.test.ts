import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as later } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { listenGrpc } from '../../../../src/console/mock/node.ts';
import { createMock, type Mock, type MockConfig } from '../../../../src/mock/index.ts';
import type { PoolMethod } from '../../../../src/policy/pool/pool-items.ts';
import {
  type Listening,
  type OpenListening,
  poolClient,
  type WireMessage,
  type WireRequest,
} from '../../../support/pool-client.ts';
import { poolInMemory } from '../../../support/pool-in-memory.ts';

interface Write {
  readonly write: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly status?: number;
  readonly index?: number;
}
interface Repeat {
  readonly repeat: {
    readonly times: number;
    readonly methods: readonly string[];
    readonly path: string;
    readonly body: unknown;
  };
}
interface Stream {
  readonly as: string | null;
  readonly messages: readonly WireMessage[];
  readonly error?: { readonly code: string; readonly message: string };
}
interface Read extends Stream {
  readonly read: PoolMethod;
}
interface Changes extends Stream {
  readonly changes: PoolMethod;
  readonly request: WireRequest;
  readonly during: readonly Write[];
}
interface Vector {
  readonly name: string;
  readonly config: MockConfig;
  readonly steps: readonly (Write | Repeat | Read | Changes)[];
}

const folder = new URL('../../../vectors/streams/', import.meta.url);
const vectors = readdirSync(folder).map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Vector);

/** The transports to test; add new ones here. */
const ways: readonly (readonly [string, (mock: Mock) => Promise<OpenListening>])[] = [
  ['the port, read by @grpc/grpc-js', async (mock) => poolClient((await listenGrpc(mock)).address)],
  ['pool(mock)', async (mock) => poolInMemory(mock)],
];

async function replay({ config, steps }: Vector, mock: Mock, open: OpenListening): Promise<number> {
  let checked = 0;
  const tokenOf = async (as: string | null): Promise<string | null> => {
    if (as === null) return null;
    if (as === 'bad') return mock.tokens.forge({ wrongKey: true });
    return mock.tokens.issue({ user: as === 'superuser' ? null : as });
  };
  const superuser = await mock.tokens.issue({ user: null, lifetime: '1000h' });
  const write = async ({ write: { method, path, body }, status, index }: Write): Promise<void> => {
    const headers = { authorization: `bearer ${superuser}` };
    const response = await mock.fetch(`http://mock.test${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const answer = (await response.json()) as { index?: number };
    if (status === undefined) return;
    expect([response.status, answer.index], `${method} ${path}`).toEqual([status, index]);
    checked++;
  };
  /**
   * Waits until the stream fails, or until an empty message after this many items says that it is up to date. An empty
   * message from before may still be in flight.
   */
  const heard = async (stream: Listening, items = 0): Promise<void> => {
    const isWaiting = () => stream.messages.at(-1)?.length !== 0 || stream.messages.flat().length < items;
    while (stream.error === undefined && isWaiting()) {
      mock.clock.advance('31s');
      await later(1);
    }
  };
  for (const step of steps) {
    if ('write' in step) await write(step);
    else if ('repeat' in step) {
      const { times, methods, path, body } = step.repeat;
      for (let i = 0; i < times; i++) {
        const method = methods[i % methods.length] ?? 'POST';
        await write({ write: { method, path, ...(method !== 'DELETE' && { body }) } });
      }
    } else if ('read' in step) {
      const stream = open(step.read, {}, await tokenOf(step.as));
      await stream.done;
      expect([stream.messages, stream.error], step.read).toEqual([step.messages, step.error]);
      checked++;
    } else {
      const token = await tokenOf(step.as);
      const before = mock.requests.at(-1);
      const stream = open(step.changes, step.request, token);
      // Until the stream is admitted, its token and the key that signed it may grow old.
      while (stream.error === undefined && mock.requests.at(-1) === before) await later(1);
      await heard(stream);
      if (step.during.length > 0) {
        stream.messages.length = 0;
        for (const one of step.during) await write(one);
        await heard(stream, step.messages.flat().length);
      }
      stream.cancel();
      const live = step.during.length > 0;
      const messages = stream.messages.filter((message) => message.length > 0);
      // Changes written while a stream is open are sent at once, so their batches depend on timing.
      expect(
        [live ? messages.flat() : messages, stream.error],
        `${step.changes} ${JSON.stringify(step.request)}`,
      ).toEqual([live ? step.messages.flat() : step.messages, step.error]);
      checked++;
    }
  }
  expect(config.fidelity).toBe('sidecar');
  return checked;
}

describe.each(ways)('the mock streams as recorded from the real services, through %s', (_, open) => {
  let checked = 0;

  it.each(vectors.map((vector) => [vector.name, vector] as const))('%s', async (_name, vector) => {
    await using mock = await createMock(vector.config);
    checked += await replay(vector, mock, await open(mock));
  });

  afterAll(() => {
    expect(checked).toBe(224);
  });
});
