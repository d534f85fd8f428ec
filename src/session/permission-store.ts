import { renewalBackoffMs } from '../credentials/renewal-times.js';
import { isSignInRequired } from '../credentials/sign-in.js';
import { readDuration } from '../lib/duration.js';
import {
  accepting,
  optional,
  type Reader,
  type ReadersOf,
  readFields,
  strictObject,
  withMethods,
} from '../lib/readers.js';
import { hasMethod } from '../lib/values.js';
import type { EvaluationItem } from '../policy/model/model.js';
import type { AuthorizationClient } from '../services/authorization/client.js';
import { readItem } from '../services/authorization/messages.js';
import { Listeners } from './events.js';
import type { UserSession } from './session.js';

/** A client, which asks about its own user (`self`). */
export interface AskClient {
  readonly authorization: Pick<AuthorizationClient, 'evaluateMany'>;
}

/**
 * A route to a service that answers `{ items: [{ action, resource }] }` with `{ items: [true, false] }`, such as
 * `permissionsHandler`.
 */
export interface AskRoute {
  /** Sends the questions. The response's body holds the answers. */
  post(body: { readonly items: readonly EvaluationItem[] }): Promise<{ readonly body: unknown }>;
}

/** Options of {@link createPermissionStore}. */
export interface PermissionStoreOptions {
  /** The source of answers: a client, or a route to a service that answers for its page. */
  readonly ask: AskClient | AskRoute;
  /** How long answers are cached, as a duration like `30s`. Default `30s`. */
  readonly ttl?: string | undefined;
  /** The session of the page: cached answers are discarded when its user changes. */
  readonly session?: Pick<UserSession, 'user' | 'on'> | undefined;
}

/** Permissions of the current user, for views. Create it with {@link createPermissionStore}. */
export interface PermissionStore {
  /**
   * Returns the cached answer: true or false, or undefined while it is pending or unavailable. For display only: the
   * service decides.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for an empty action.
   */
  readonly can: (action: string, resource: string) => boolean | undefined;
  /** Calls a listener after each change of an answer. Returns a function that removes it. */
  readonly subscribe: (listener: () => void) => () => void;
  /** Returns a number that grows with each change. */
  readonly getSnapshot: () => number;
  /** Discards all answers. Views are notified and ask again. */
  readonly invalidate: () => void;
}

/** A question and its cached answer. */
interface Entry {
  readonly item: EvaluationItem;
  allowed?: boolean | undefined;
  /** When the answer expires; Infinity while the question is in flight. */
  until: number;
}

const mostItems = 100;
const defaultTtlMs = 30_000;

const readAsk: Reader<AskClient | AskRoute> = accepting(
  'a client or a route',
  (value) => hasMethod(value, 'post') || hasMethod(Object(value).authorization, 'evaluateMany'),
);
export const readStoreOptions = strictObject({
  ask: readAsk,
  ttl: optional(readDuration, defaultTtlMs),
  session: optional(withMethods<NonNullable<PermissionStoreOptions['session']>>('a session', 'on')),
} satisfies ReadersOf<PermissionStoreOptions>);

/** Requests the answers to items, in the same order. Throws unless there is a boolean for each item. */
async function askFor(ask: AskClient | AskRoute, items: readonly EvaluationItem[]): Promise<readonly boolean[]> {
  const answers: unknown =
    'authorization' in ask
      ? (await ask.authorization.evaluateMany({ self: true, items })).items.map(({ allowed }) => allowed)
      : Object((await ask.post({ items })).body).items;
  if (Array.isArray(answers) && answers.length === items.length && answers.every((one) => one === !!one)) {
    return answers;
  }
  throw new TypeError('expected a boolean for each item');
}

/**
 * Creates a store of the current user's permissions for views. It asks in batches, caches answers, and fits React's
 * `useSyncExternalStore`. After a failure an answer stays undefined, and the question is repeated with a backoff from 1
 * s up to a minute.
 *
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the invalid option.
 * @example
 * ```ts
 * import { createPermissionStore } from 'arango-services/session';
 *
 * const permissions = createPermissionStore({ ask: client, ttl: '30s' });
 * permissions.subscribe(() => console.log(permissions.can('orders:write', 'orders')));
 * permissions.can('orders:write', 'orders'); // undefined; true or false once the listener is called
 * ```
 */
export function createPermissionStore(options: PermissionStoreOptions): PermissionStore {
  const { ask, ttl, session } = readFields(options, 'options', readStoreOptions);
  const entries = new Map<string, Entry>();
  const listeners = new Listeners();
  let waiting: Entry[] = [];
  let version = 0;
  let epoch = 0;
  let failures = 0;
  let retryAt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let user = session?.user;

  const notify = (): void => {
    version++;
    listeners.emit('change', undefined);
  };
  const schedule = (): void => {
    timer ??= setTimeout(flush, Math.max(0, retryAt - performance.now()));
  };
  const forget = (isForgotten: (entry: Entry) => boolean): void => {
    for (const [key, entry] of entries) if (isForgotten(entry)) entries.delete(key);
  };

  async function flush(): Promise<void> {
    timer = undefined;
    const now = performance.now();
    forget(({ until }) => until <= now);
    const batch = waiting.splice(0, mostItems);
    if (waiting.length > 0) schedule();
    const started = epoch;
    try {
      const answers = await askFor(
        ask,
        batch.map(({ item }) => item),
      );
      if (started !== epoch) return;
      for (const [i, entry] of batch.entries()) {
        entry.allowed = answers[i];
        entry.until = performance.now() + ttl;
      }
      failures = 0;
      notify();
    } catch (error) {
      if (started !== epoch) return;
      waiting.push(...batch);
      retryAt = performance.now() + renewalBackoffMs(failures++);
      schedule();
      if (isSignInRequired(error)) {
        forget(({ allowed }) => allowed !== undefined);
        notify();
      }
    }
  }

  const invalidate = (): void => {
    clearTimeout(timer);
    timer = undefined;
    entries.clear();
    waiting = [];
    epoch++;
    failures = 0;
    retryAt = 0;
    notify();
  };

  session?.on('change', () => {
    if (session.user === user) return;
    user = session.user;
    invalidate();
  });

  return {
    can(action, resource) {
      const key = JSON.stringify([action, resource]);
      const known = entries.get(key);
      if (known && performance.now() < known.until) return known.allowed;
      const item = readFields({ action, resource }, 'item', readItem);
      if (session && session.user === undefined) return undefined;
      const entry: Entry = { item, until: Number.POSITIVE_INFINITY };
      entries.set(key, entry);
      waiting.push(entry);
      schedule();
      return undefined;
    },
    subscribe: (listener) => listeners.add('change', listener),
    getSnapshot: () => version,
    invalidate,
  };
}
