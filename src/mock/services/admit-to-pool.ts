import {
  itemsInMessage,
  type PoolCall,
  type PoolContent,
  type PoolItem,
  type PoolKind,
  poolMethods,
  poolPermissions,
  poolService,
} from '../../policy/pool/pool-items.js';
import type { Platform } from '../platform.js';
import type { Pool } from '../state/store.js';
import { ServiceFailure } from '../wire/http.js';
import type { Exchange } from '../wire/mock-exchange.js';
import { callerOf, permit } from './token-owner.js';

type Message = readonly PoolItem[];

/** Wakes a stream that has nothing to send. */
export interface Waker {
  /** True once the stream has been silent for the time passed to `silence`. */
  readonly due: boolean;
  /** Begins a silence, after which an empty message is sent. */
  silence(ms: number): void;
  /** Resolves when the stream has something to check or the silence is over. Rejects if the stream must end. */
  wait(): Promise<void>;
  /** Makes the stream check again. */
  wake(): void;
}

// How often the services poll for changes. They send empty messages only when they poll.
const lookMs = (kind: PoolKind): number => (kind === 'policies' ? 250 : 1_000);

/** The refusal if changes after an index were dropped: the client has to read the whole state again. */
const outOfBounds = (): ServiceFailure => new ServiceFailure(11, 'out of bounds');

/**
 * Admits a caller: the current state requires a valid token, changes a permission. A service that binds no groups does
 * not have their calls.
 * @throws ServiceFailure
 */
export async function admitToPool(exchange: Exchange, platform: Platform, { kind, changes }: PoolCall): Promise<void> {
  if (kind === 'groupBindings' && !platform.version.bindsGroups) {
    const method = poolMethods[kind][changes === undefined ? 'read' : 'changes'];
    throw new ServiceFailure(12, `unknown method ${method} for service ${poolService}`);
  }
  if (changes === undefined) await callerOf(exchange, platform);
  else await permit(exchange, platform, poolPermissions[kind], '');
}

/** `GetPolicy`, `GetRole`, `GetUserRoleBinding`, `GetGroupRoleBinding`: the current state. */
export function* readPool({ store }: Platform, kind: PoolKind): Generator<Message> {
  const items = store.pool[kind].current();
  for (let from = 0; from < items.length; from += itemsInMessage) yield items.slice(from, from + itemsInMessage);
}

/**
 * `PoolPolicyChanges` and its likes: each change after `start`, sent at once, whereas the services wait for their next
 * poll. A start beyond the newest change waits.
 * @throws ServiceFailure OutOfRange if a change is no longer kept.
 */
export async function* followPool(
  { store }: Platform,
  kind: PoolKind,
  { start, timeoutMs = 0 }: NonNullable<PoolCall['changes']>,
  waker: Waker,
): AsyncGenerator<Message, never> {
  const { changes }: Pool<PoolContent[PoolKind]> = store.pool[kind];
  const silenceMs = Math.max(1, Math.ceil(timeoutMs / lookMs(kind))) * lookMs(kind);
  const unwatch = changes.watch(waker.wake);
  waker.silence(silenceMs);
  try {
    for (let index = start; ; ) {
      const items = changes.after(index, itemsInMessage);
      if (items === undefined) throw outOfBounds();
      index = items.at(-1)?.index ?? index;
      if (items.length > 0 || waker.due) {
        waker.silence(silenceMs);
        yield items;
      } else await waker.wait();
    }
  } finally {
    unwatch();
  }
}
