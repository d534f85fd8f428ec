import {
  itemsInMessage,
  type PoolCall,
  type PoolContent,
  type PoolItem,
  type PoolKind,
  poolPermissions,
} from '../../pool/items.js';
import type { Platform } from '../platform.js';
import type { Pool } from '../state/store.js';
import type { Exchange } from '../wire/exchange.js';
import { ServiceFailure } from '../wire/http.js';
import { callerOf, permit } from './caller.js';

type Message = readonly PoolItem[];

/** What wakes a stream that has nothing to send. */
export interface Waker {
  /** Whether the stream was silent for as long as `silence` said. */
  readonly due: boolean;
  /** Begins a silence, at whose end an empty message is sent. */
  silence(ms: number): void;
  /**
   * Ends when something happened that the stream has to look at, or the silence is over. Rejects where the stream has
   * to end.
   */
  wait(): Promise<void>;
  /** Has the stream look again. */
  wake(): void;
}

// How often the services look for changes. They send an empty message only when they look.
const lookMs: Readonly<Record<PoolKind, number>> = { policies: 250, roles: 1_000, bindings: 1_000 };

/** The refusal where not all changes after an index are kept: the whole state has to be read again. */
const outOfBounds = (): ServiceFailure => new ServiceFailure(11, 'out of bounds');

/**
 * The current state is for every valid token, the changes need a permission.
 * @throws ServiceFailure
 */
export async function admitToPool(exchange: Exchange, platform: Platform, { kind, changes }: PoolCall): Promise<void> {
  if (changes === undefined) await callerOf(exchange, platform);
  else await permit(exchange, platform, poolPermissions[kind], '');
}

/** `GetPolicy`, `GetRole`, `GetUserRoleBinding`: everything as it is now. */
export function* readPool({ store }: Platform, kind: PoolKind): Generator<Message> {
  const items = store.pool[kind].current();
  for (let from = 0; from < items.length; from += itemsInMessage) yield items.slice(from, from + itemsInMessage);
}

/**
 * `PoolPolicyChanges`, `PoolRoleChanges`, `PoolUserRoleBindingChanges`: each change after `start`, at once where the
 * services wait for their next look. A start beyond the newest change waits.
 * @throws ServiceFailure OutOfRange if a change is not kept any more.
 */
export async function* followPool(
  { store }: Platform,
  kind: PoolKind,
  { start, timeoutMs = 0 }: NonNullable<PoolCall['changes']>,
  waker: Waker,
): AsyncGenerator<Message, never> {
  const { changes }: Pool<PoolContent[PoolKind]> = store.pool[kind];
  const silenceMs = Math.max(1, Math.ceil(timeoutMs / lookMs[kind])) * lookMs[kind];
  const unwatch = changes.watch(waker.wake);
  waker.silence(silenceMs);
  try {
    for (let known = start; ; ) {
      const items = changes.after(known, itemsInMessage);
      if (items === undefined) throw outOfBounds();
      known = items.at(-1)?.index ?? known;
      if (items.length > 0 || waker.due) {
        waker.silence(silenceMs);
        yield items;
      } else await waker.wait();
    }
  } finally {
    unwatch();
  }
}
