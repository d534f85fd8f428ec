import type { ReplicaTransport } from '../../../../src/enforce/replica/index.ts';
import { itemsInMessage, type PoolItem, type PoolKind, poolKinds } from '../../../../src/policy/pool/pool-items.ts';

/** A gRPC failure. */
const failure = (code: number, message: string) => Object.assign(new Error(message), { code });

type History = Readonly<Record<PoolKind, readonly PoolItem[]>>;

const kept = 1_024;
const lookMs: Readonly<Record<PoolKind, number>> = {
  policies: 250,
  roles: 1_000,
  bindings: 1_000,
  groupBindings: 1_000,
};

/** The state that results from a history, by index. */
export function stateOf(items: readonly PoolItem[]): PoolItem[] {
  const state = new Map<string, PoolItem>();
  for (const item of items) {
    state.delete(item.name);
    if (item.item !== undefined) state.set(item.name, item);
  }
  return [...state.values()];
}

/**
 * The pool of a service as docs/wire.md describes it, in memory and controlled by a test: it polls for changes at
 * ticks, waits beyond the newest index, keeps the last 1 024 changes of a kind, and can be cut off, frozen and
 * replaced.
 */
export class PoolService implements ReplicaTransport {
  /** Every change from the first on, by kind. */
  readonly history: Record<PoolKind, PoolItem[]> = { policies: [], roles: [], bindings: [], groupBindings: [] };
  /** Opened streams of changes, with their start. */
  readonly opened: { readonly kind: PoolKind; readonly start: number }[] = [];
  /** False for a service that is older than groups. */
  bindsGroups = false;
  /** The number of reads of the state. */
  reads = 0;
  /** While true, no stream sends anything. */
  frozen = false;
  /** The gRPC code with which new calls fail. */
  refusal: number | undefined;
  /** The refused calls; default all. */
  refuses: (kind: PoolKind, isRead: boolean) => boolean = () => true;
  /** The streams that a cut breaks; default all. */
  cutOnly: (kind: PoolKind) => boolean = () => true;
  #connection = new AbortController();

  write(kind: PoolKind, name: string, item: PoolItem['item']): number {
    const index = this.history[kind].length + 1;
    this.history[kind].push({ name, index, item });
    return index;
  }

  /** A backup. */
  save(): History {
    return {
      policies: [...this.history.policies],
      roles: [...this.history.roles],
      bindings: [...this.history.bindings],
      groupBindings: [...this.history.groupBindings],
    };
  }

  /** Switches to another history: every stream breaks, as when a service restarts. */
  restore(saved: History): void {
    for (const kind of poolKinds) this.history[kind].splice(0, Number.POSITIVE_INFINITY, ...saved[kind]);
    this.cut();
  }

  /** Breaks the connection with every stream. */
  cut(): void {
    const before = this.#connection;
    this.#connection = new AbortController();
    before.abort();
  }

  connection = (): unknown => this.#connection;

  async *open(
    { kind, changes }: Parameters<ReplicaTransport['open']>[0],
    _authorization: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<readonly PoolItem[]> {
    const connection = this.#connection.signal;
    const wait = async (ms: number): Promise<void> => {
      const until = performance.now() + ms;
      while (performance.now() < until || this.frozen) {
        await new Promise((resolve) => setTimeout(resolve, Math.min(ms, 50)));
        if (signal.aborted) throw failure(1, 'cancelled');
        if (connection.aborted && this.cutOnly(kind)) throw failure(14, 'the connection was cut');
      }
    };
    await wait(5);
    if (kind === 'groupBindings' && !this.bindsGroups) throw failure(12, 'unknown method');
    if (this.refusal !== undefined && this.refuses(kind, changes === undefined)) {
      throw failure(this.refusal, 'refused');
    }
    if (changes === undefined) {
      this.reads++;
      const items = stateOf(this.history[kind]);
      for (let from = 0; from < items.length; from += itemsInMessage) {
        yield items.slice(from, from + itemsInMessage);
        await wait(1);
      }
      return;
    }
    let { start: known } = changes;
    this.opened.push({ kind, start: known });
    let silentMs = 0;
    for (;;) {
      await wait(lookMs[kind]);
      const list = this.history[kind];
      if (list.length - known > kept) throw failure(11, 'out of bounds');
      for (;;) {
        const items = list.slice(known, known + itemsInMessage);
        if (items.length === 0) break;
        known += items.length;
        silentMs = 0;
        yield items;
      }
      silentMs += lookMs[kind];
      if (silentMs < (changes.timeoutMs ?? 0)) continue;
      silentMs = 0;
      yield [];
    }
  }

  close = (): void => this.cut();
}
