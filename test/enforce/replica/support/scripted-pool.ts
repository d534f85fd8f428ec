import type { ReplicaTransport } from '../../../../src/enforce/replica/index.ts';
import type { Policy } from '../../../../src/policy/index.ts';
import { type PoolItem, type PoolKind, type PoolMethod, poolMethods } from '../../../../src/policy/pool/pool-items.ts';

/** A gRPC failure. */
class GrpcFailure extends Error {
  readonly code: number;

  constructor(code: number, message = `code ${code}`) {
    super(message);
    this.code = code;
  }
}

// biome-ignore lint/correctness/useYield: a stream that fails before its first message.
async function* unimplemented(): AsyncGenerator<never> {
  throw new GrpcFailure(12, 'unknown method');
}

type Event = { readonly items: readonly PoolItem[] } | { readonly failure: Error } | 'end';

/** A stream opened by the replica, controlled by a test. */
export class ScriptedStream {
  readonly method: PoolMethod;
  readonly start: number | undefined;
  readonly authorization: string | undefined;
  /** True while the replica reads it. */
  open = true;
  readonly #events: Event[] = [];
  readonly #onSend: (items: readonly PoolItem[]) => void;
  #wake: (() => void) | undefined;

  constructor(
    method: PoolMethod,
    start: number | undefined,
    authorization: string | undefined,
    onSend: (items: readonly PoolItem[]) => void = () => {},
  ) {
    this.method = method;
    this.start = start;
    this.authorization = authorization;
    this.#onSend = onSend;
  }

  send(...items: PoolItem[]): void {
    this.#onSend(items);
    this.#push({ items });
  }

  fail(code: number, message?: string): void {
    this.#push({ failure: new GrpcFailure(code, message) });
  }

  end(): void {
    this.#push('end');
  }

  /** The messages for the replica. */
  async *read(signal: AbortSignal): AsyncGenerator<readonly PoolItem[]> {
    const stop = (): void => this.#push({ failure: new GrpcFailure(1) });
    signal.addEventListener('abort', stop);
    try {
      for (;;) {
        const event = this.#events.shift();
        if (event === undefined) await new Promise<void>((wake) => (this.#wake = wake));
        else if (event === 'end') return;
        else if ('failure' in event) throw event.failure;
        else yield event.items;
      }
    } finally {
      this.open = false;
      signal.removeEventListener('abort', stop);
    }
  }

  #push(event: Event): void {
    this.#events.push(event);
    this.#wake?.();
  }
}

/**
 * A service whose messages a test controls. Reads return `state`, and streams of changes begin with the later items of
 * `state` and of all sent changes, like those of the services, unless `onOpen` handles them.
 */
export class ScriptedPool implements ReplicaTransport {
  readonly streams: ScriptedStream[] = [];
  readonly state: Record<PoolKind, PoolItem[]> = { policies: [], roles: [], bindings: [], groupBindings: [] };
  /** The sent changes, by index. */
  readonly changes: Record<PoolKind, Map<number, PoolItem>> = {
    policies: new Map(),
    roles: new Map(),
    bindings: new Map(),
    groupBindings: new Map(),
  };
  /** False for a service that is older than groups. */
  bindsGroups = false;
  closed = false;
  /** Called with each stream; returns true if the test answers it. */
  onOpen: (stream: ScriptedStream) => boolean = () => false;

  open: ReplicaTransport['open'] = ({ kind, changes }, authorization, signal) => {
    if (kind === 'groupBindings' && !this.bindsGroups) return unimplemented();
    const method = poolMethods[kind][changes === undefined ? 'read' : 'changes'];
    const onSend = (items: readonly PoolItem[]): void => {
      for (const item of changes === undefined ? [] : items) this.changes[kind].set(item.index, item);
    };
    const stream = new ScriptedStream(method, changes?.start, authorization, onSend);
    this.streams.push(stream);
    if (!this.onOpen(stream)) {
      if (changes !== undefined) stream.send(...this.after(kind, changes.start));
      else {
        if (this.state[kind].length > 0) stream.send(...this.state[kind]);
        stream.end();
      }
    }
    return stream.read(signal);
  };

  /** The changes that follow an index without a gap. */
  after(kind: PoolKind, start: number): PoolItem[] {
    const found: PoolItem[] = [];
    const find = (index: number) =>
      this.changes[kind].get(index) ?? this.state[kind].find((item) => item.index === index);
    for (let item = find(start + 1); item !== undefined; item = find(item.index + 1)) found.push(item);
    return found;
  }

  close = (): void => {
    this.closed = true;
  };

  /** The opened streams of a call. */
  of(method: PoolMethod): ScriptedStream[] {
    return this.streams.filter((stream) => stream.method === method);
  }

  /** The newest stream of a call. */
  last(method: PoolMethod): ScriptedStream {
    const stream = this.of(method).at(-1);
    if (stream === undefined) throw new Error(`${method} was not called`);
    return stream;
  }
}

export const everywhere: Policy = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] };

/** Items of each kind. */
export const policyItem = (index: number, name = 'p', item: Policy | undefined = everywhere): PoolItem => ({
  name,
  index,
  item,
});
export const roleItem = (index: number, name = 'r', policies = ['p']): PoolItem => ({
  name,
  index,
  item: { policies },
});
export const bindingItem = (index: number, user = 'alice', role = 'r'): PoolItem => ({
  name: `${user}:${role}`,
  index,
  item: { role, scope: everywhere },
});
export const deletion = (index: number, name: string): PoolItem => ({ name, index, item: undefined });

/** A pool that allows alice everything: policy p, role r and the binding have the index 1. */
export function alicesPool(): ScriptedPool {
  const pool = new ScriptedPool();
  pool.state.policies.push(policyItem(1));
  pool.state.roles.push(roleItem(1));
  pool.state.bindings.push(bindingItem(1));
  return pool;
}
