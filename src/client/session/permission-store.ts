import { CredentialsError } from '../../base/errors.js';
import { readDuration, readPeriod } from '../../base/lib/duration.js';
import {
  accepting,
  isWithin,
  listOf,
  optional,
  type Reader,
  type ReadersOf,
  readArgument,
  readFields,
  readFilledText,
  readFlag,
  readName,
  readText,
  strictObject,
  withMethods,
} from '../../base/lib/readers.js';
import { noSession } from '../../base/lib/sign-in-marks.js';
import { hasMethod } from '../../base/lib/values.js';
import { sleep } from '../../base/lib/wait.js';
import type { EvaluationItem } from '../../policy/model/model.js';
import type { AuthorizationClient } from '../services/authorization/authorization-client.js';
import { readItem } from '../services/authorization/authorization-messages.js';
import { type InitialPermissions, PermissionAnswers } from './permission-answers.js';
import type { UserSession } from './session.js';
import { Listeners } from './session-events.js';
import { listen } from './tabs.js';

/** A client, which asks about its own user (`self`). */
export type AskClient = { readonly authorization: Pick<AuthorizationClient, 'evaluateMany'> };

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
  /** The age at which an answer is requested again, a duration. Default `30s`. */
  readonly ttl?: string | undefined;
  /**
   * The age up to which an answer is kept while it is requested again, a duration; then it is undefined. At least
   * `ttl`. Default `5m`.
   */
  readonly staleFor?: string | undefined;
  /** The session of the page: cached answers are discarded when its user changes. */
  readonly session?: Pick<UserSession, 'user' | 'on'> | undefined;
  /**
   * Answers of the server that rendered the page, for its first render here. They age by `ttl` and `staleFor`, and are
   * discarded if the session has another user. Default none.
   */
  readonly initial?: InitialPermissions | undefined;
}

/** Permissions of the current user, for views. Create it with {@link createPermissionStore}. */
export interface PermissionStore {
  /**
   * Returns the cached answer: true or false, or undefined while the first one is pending, and if it is unavailable
   * for `staleFor`. For display only: the service decides.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for an empty action.
   */
  readonly can: (action: string, resource: string) => boolean | undefined;
  /**
   * Resolves when each question has an answer, which `can` then returns: for loaders and Suspense. While it is pending,
   * and for a second after a rejection, the same list gives the same promise.
   * @throws The error of the request, without waiting for its repetition; CredentialsError (code `CREDENTIALS`) if the
   * session has no user; InvalidArgumentError (code `INVALID_ARGUMENT`) naming the invalid item.
   */
  readonly ready: (items: readonly EvaluationItem[]) => Promise<void>;
  /** Calls a listener after each change of an answer, and after `invalidate`. Returns a function that removes it. */
  readonly subscribe: (listener: () => void) => () => void;
  /** Returns a number that grows with each change. */
  readonly getSnapshot: () => number;
  /** Discards all answers at once. Views are notified and ask again. */
  readonly invalidate: () => void;
  /** The option `initial`, whatever changed since: the answers of a render on a server, and of its hydration. */
  readonly initial: InitialPermissions | undefined;
}

/** The latest time of a Date. */
const latestMs = 8.64e15;
const defaultTtlMs = 30_000;
const defaultStaleMs = 300_000;
/** How long a promise of `ready` that was rejected is returned again, so that a view that loops asks once a second. */
const rejectedMs = 1_000;

const readAsk: Reader<AskClient | AskRoute> = accepting(
  'a client of createClient or a route',
  (value) => hasMethod(value, 'post') || hasMethod(Object(value).authorization, 'evaluateMany'),
);
const readInitial = strictObject({
  user: readName,
  at: accepting<number>('milliseconds since 1970', (value) => isWithin(value, 0, latestMs)),
  items: listOf(strictObject({ action: readFilledText, resource: readText, allowed: readFlag })),
} satisfies ReadersOf<InitialPermissions>);
export const readStoreOptions = strictObject({
  ask: readAsk,
  ttl: optional(readPeriod, defaultTtlMs),
  staleFor: optional(readDuration, defaultStaleMs),
  session: optional(withMethods<NonNullable<PermissionStoreOptions['session']>>('a session', 'on')),
  initial: optional(readInitial),
} satisfies ReadersOf<PermissionStoreOptions>);

const readItems = listOf(readItem);

/** Requests the answers to items, in the same order. Throws unless there is a boolean for each item. */
async function askFor(ask: AskClient | AskRoute, items: readonly EvaluationItem[]): Promise<readonly boolean[]> {
  const answers: unknown =
    'authorization' in ask
      ? (await ask.authorization.evaluateMany({ self: true, items })).items.map(({ allowed }) => allowed)
      : Object((await ask.post({ items })).body).items;
  if (Array.isArray(answers) && answers.length === items.length && answers.every((answer) => answer === !!answer)) {
    return answers;
  }
  throw new TypeError('expected a boolean for each item');
}

/** Remembers the promises for lists of questions while they are pending, and for a second after a rejection. */
function sharePromises() {
  const shared = new Map<string, Promise<void>>();
  return (key: string, start: () => Promise<void>): Promise<void> => {
    const promise = shared.get(key) ?? start();
    if (!shared.has(key)) promise.catch(() => sleep(rejectedMs)).then(() => shared.delete(key));
    shared.set(key, promise);
    return promise;
  };
}

/**
 * Creates a store of the current user's permissions for views. It asks in batches and fits React's
 * `useSyncExternalStore`. While something subscribes and the page is visible, answers are requested again after `ttl`,
 * and meanwhile kept. After a failure it asks again, with a backoff of 1 s up to a minute; a failure makes no answer
 * true.
 *
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the invalid option.
 * @example
 * ```ts
 * import { createPermissionStore } from 'arango-services/session';
 *
 * const permissions = createPermissionStore({ ask: client, ttl: '30s', staleFor: '5m' });
 * permissions.subscribe(() => console.log(permissions.can('orders:write', 'orders')));
 * permissions.can('orders:write', 'orders'); // undefined; true or false once the listener is called
 * ```
 */
export function createPermissionStore(options: PermissionStoreOptions): PermissionStore {
  const { ask, ttl, staleFor, session, initial } = readFields(options, 'options', readStoreOptions);
  const listeners = new Listeners();
  const share = sharePromises();
  let stopListening: (() => void) | undefined;
  let version = 0;
  // A session that is restored later keeps the answers if it has this user.
  let user = session?.user ?? initial?.user;
  let isWithheld = false;

  const notify = (): void => {
    version++;
    listeners.emit('change', undefined);
  };
  const answers = new PermissionAnswers({
    ask: askFor.bind(undefined, ask),
    ttl,
    staleFor: Math.max(ttl, staleFor),
    notify,
    isWatched: () => listeners.size > 0,
  });
  if (initial && initial.user === user) answers.seed(initial);
  const invalidate = (): void => {
    isWithheld = false;
    answers.forget();
  };
  /** True without a user, and while the session has another one than the answers. */
  const hasNoUser = (): boolean => session !== undefined && (!user || session.user !== user);

  session?.on('change', () => {
    if (session.user !== user) {
      user = session.user;
      invalidate();
    } else if (isWithheld) {
      isWithheld = false;
      notify();
    }
  });

  async function becomeReady(items: readonly EvaluationItem[]): Promise<void> {
    for (let missing = items; missing.length > 0; ) {
      if (hasNoUser()) throw new CredentialsError('there is no session: sign in', {}, { code: noSession });
      const read = missing.map((item) => answers.read(item));
      const isDone = await Promise.all(read.map((item) => item.allowed !== undefined || answers.wait(item)));
      missing = missing.filter((_, index) => !isDone[index]);
    }
  }

  return {
    can(action, resource) {
      const item = readFields({ action, resource }, 'item', readItem);
      isWithheld ||= hasNoUser();
      return hasNoUser() ? undefined : answers.read(item).allowed;
    },
    ready(items) {
      try {
        const read = readArgument(items, 'items', readItems);
        return share(JSON.stringify(read.map(({ action, resource }) => [action, resource])), () => becomeReady(read));
      } catch (error) {
        return Promise.reject(error);
      }
    },
    subscribe(listener) {
      const remove = listeners.add('change', listener);
      // A page that becomes visible, or gets the focus, may have missed its time.
      stopListening ??= listen(['visibilitychange', 'focus'], () => answers.wake());
      answers.wake();
      return () => {
        remove();
        if (listeners.size === 0) {
          stopListening?.();
          stopListening = undefined;
        }
        answers.wake();
      };
    },
    getSnapshot: () => version,
    invalidate,
    initial,
  };
}
