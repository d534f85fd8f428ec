import { status } from '@grpc/grpc-js';
import { mockPool } from '../../src/console/mock/node.ts';
import type { Mock } from '../../src/mock/index.ts';
import { type PoolItem, type PoolKind, poolKinds, poolMethods } from '../../src/policy/pool/pool-items.ts';
import type { Listening, OpenListening, WireMessage } from './pool-client.ts';

/** A value as on the wire: empty values, null and the default effect are omitted. */
function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(
    ([, one]) =>
      one !== '' && one !== 'Deny' && one !== null && one !== undefined && !(Array.isArray(one) && one.length === 0),
  );
  return Object.fromEntries(kept.map(([name, one]) => [name, withoutDefaults(one)]));
}

const toWire = (items: readonly PoolItem[]) => withoutDefaults(items) as WireMessage; // Names and indexes are never empty.

/** Calls of the pool of a mock, through the in-memory transport. */
export function poolInMemory(mock: Mock): OpenListening {
  const transport = mockPool(mock);
  return (method, { start = 0, timeout }, token) => {
    // The cast: every method belongs to a kind.
    const kind = poolKinds.find((one) => Object.values<string>(poolMethods[one]).includes(method)) as PoolKind;
    const timeoutMs = timeout === undefined ? undefined : timeout.seconds * 1_000;
    const call = { kind, ...(method === poolMethods[kind].changes && { changes: { start, timeoutMs } }) };
    const messages: WireMessage[] = [];
    let error: Listening['error'];
    const stop = new AbortController();
    const listen = async (): Promise<void> => {
      try {
        for await (const items of transport.open(call, `bearer ${token ?? ''}`, stop.signal))
          messages.push(toWire([...items]));
      } catch (failure) {
        const { code, message } = failure as { code: number; message: string };
        if (!stop.signal.aborted) error = { code: status[code] ?? String(code), message };
      }
    };
    return {
      messages,
      done: listen(),
      get error() {
        return error;
      },
      cancel: () => stop.abort(),
    };
  };
}
