import { createContext, createElement, type ReactNode, useContext, useMemo, useSyncExternalStore } from 'react';
import { expected } from '../../base/lib/readers.js';
import { hasMethod } from '../../base/lib/values.js';
import type { EvaluationItem } from '../../policy/model/model.js';
import type { PermissionStore, UserSession } from '../session/index.js';

/** Props of {@link SessionProvider}. */
export interface SessionProviderProps {
  /** The session of the page. Without one, as with cookies, the user is that of `initial` of the permissions. */
  readonly session?: Pick<UserSession, 'user' | 'on'> | undefined;
  /** The permissions of the session's user. */
  readonly permissions: PermissionStore;
  readonly children?: ReactNode;
}

/** Props of {@link Can}. */
export interface CanProps {
  readonly action: string;
  readonly resource: string;
  readonly children?: ReactNode;
  /** Shown if the user may not, and while the answer is not known. Default nothing. */
  readonly otherwise?: ReactNode;
}

/** An answer: undefined while it is not known. */
type Allowed = boolean | undefined;

const isText = (value: unknown): boolean => typeof value === 'string' && !/\p{Surrogate}/u.test(value);

/** The sources of the hooks. Their functions stay the same, so that no render subscribes again. */
function readSources({ session, permissions }: SessionProviderProps) {
  if (!hasMethod(permissions, 'subscribe')) {
    throw expected('permissions', 'a store of createPermissionStore', permissions);
  }
  if (session && !hasMethod(session, 'on')) throw expected('session', 'a session', session);
  const { initial } = permissions;
  return {
    permissions,
    onUser: (listener: () => void) => session?.on('change', listener) ?? (() => undefined),
    user: () => (session ? session.user : initial?.user),
    /** The user and the answers on a server, and so in the render that hydrates its HTML. */
    initialUser: () => initial?.user,
    initially(action: string, resource: string): Allowed {
      // On a server nothing is asked, but `can` refuses what is not an item.
      if (action === '' || !isText(action) || !isText(resource)) return permissions.can(action, resource);
      return initial?.items.findLast((item) => item.action === action && item.resource === resource)?.allowed;
    },
  };
}

const Sources = createContext<ReturnType<typeof readSources> | undefined>(undefined);

function useSources(asker: string) {
  const sources = useContext(Sources);
  if (!sources) throw new Error(`${asker} needs a <SessionProvider> above it`);
  return sources;
}

/** False if one answer is false, else undefined if one is not known yet, else true. */
const all = (answers: readonly Allowed[]): Allowed =>
  answers.includes(false) ? false : answers.includes(undefined) ? undefined : true;

function useAnswer(asker: string, items: readonly EvaluationItem[]): Allowed {
  const { permissions, initially } = useSources(asker);
  return useSyncExternalStore(
    permissions.subscribe,
    // Reads each, so that all are asked for in one request.
    () => all(items.map(({ action, resource }) => permissions.can(action, resource))),
    () => all(items.map(({ action, resource }) => initially(action, resource))),
  );
}

/** A promise with the fields that React's `use` sets, too. */
interface Tracked extends Promise<void> {
  status?: 'pending' | 'fulfilled' | 'rejected';
  reason?: unknown;
}

/** Suspends the view until the promise has settled, and throws its error: `use`, which React 18 does not have. */
function suspend(promise: Tracked): never {
  if (promise.status === 'rejected') throw promise.reason;
  if (!promise.status) {
    promise.status = 'pending';
    promise.then(
      () => {
        promise.status = 'fulfilled';
      },
      (reason: unknown) => {
        promise.status = 'rejected';
        promise.reason = reason;
      },
    );
  }
  throw promise;
}

/**
 * Gives the hooks below it a session and its permissions.
 *
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the prop.
 * @example
 * ```ts
 * import { createElement, type ReactNode } from 'react';
 * import { createPermissionStore, createSession } from 'arango-services/session';
 *
 * const session = createSession(client, { store: 'sessionStorage' });
 * const ask = client.with({ credentials: session }).service('orders').route('permissions');
 * const permissions = createPermissionStore({ ask, session });
 * export const Page = (props: { children: ReactNode }) =>
 *   createElement(SessionProvider, { session, permissions, ...props });
 * ```
 */
export function SessionProvider({ session, permissions, children }: SessionProviderProps): ReactNode {
  const value = useMemo(() => readSources({ session, permissions }), [session, permissions]);
  return createElement(Sources.Provider, { value }, children);
}

/**
 * The name of the user; undefined without a session.
 *
 * @throws Error without a {@link SessionProvider} above it.
 * @example
 * ```ts
 * const useGreeting = () => `Hello ${useUser() ?? 'stranger'}`;
 * ```
 */
export function useUser(): string | undefined {
  const { onUser, user, initialUser } = useSources('useUser()');
  return useSyncExternalStore(onUser, user, initialUser);
}

/**
 * True or false, or undefined while the answer is not known. Rendered on a server it is that of `initial`. For display
 * only: the service decides.
 *
 * @throws Error without a {@link SessionProvider} above it; InvalidArgumentError (code `INVALID_ARGUMENT`) for an empty
 * action.
 * @example
 * ```ts
 * const useMayOrder = () => useCan('orders:write', 'orders') === true;
 * ```
 */
export function useCan(action: string, resource: string): boolean | undefined {
  return useAnswer('useCan()', [{ action, resource }]);
}

/**
 * True if the user may do all of it, false if one item is denied, undefined while that is not known. All are asked for
 * in one request.
 *
 * @throws as {@link useCan}.
 * @example
 * ```ts
 * const useMayMove = () => useCanAll([{ action: 'orders:write', resource: 'orders' }]);
 * ```
 */
export function useCanAll(items: readonly EvaluationItem[]): boolean | undefined {
  return useAnswer('useCanAll()', items);
}

/**
 * Like {@link useCan}, but suspends until the answer is known, also on a server that streams. The error of a failed
 * request reaches the error boundary.
 *
 * @throws as {@link useCan}.
 * @example
 * ```ts
 * const useMayOrder = (): boolean => useCanReady('orders:write', 'orders');
 * ```
 */
export function useCanReady(action: string, resource: string): boolean {
  const { permissions, initially } = useSources('useCanReady()');
  const current = () => permissions.can(action, resource);
  const allowed = useSyncExternalStore(permissions.subscribe, current, () => initially(action, resource) ?? current());
  return allowed ?? suspend(permissions.ready([{ action, resource }]));
}

/**
 * Shows its children if the user may take the action, else `otherwise`.
 *
 * @throws as {@link useCan}.
 * @example
 * ```ts
 * import { createElement } from 'react';
 *
 * const button = createElement('button', { type: 'button' }, 'New order');
 * const view = createElement(Can, { action: 'orders:write', resource: 'orders' }, button);
 * ```
 */
export function Can({ action, resource, children, otherwise }: CanProps): ReactNode {
  return useAnswer('<Can>', [{ action, resource }]) ? children : otherwise;
}
