import { isInvalidArgumentError } from '../../base/error-guards.js';
import { readUpTo } from '../../base/lib/read-up-to.js';
import {
  anyText,
  listOf,
  optional,
  type Reader,
  type ReadersOf,
  readArgument,
  readFields,
  readFilledText,
  strictObject,
  transform,
  wholeNumber,
  withMethods,
} from '../../base/lib/readers.js';
import { isObject } from '../../base/lib/values.js';
import { answer, asResponse, type PlainResponse } from './answers.js';
import type { Guard } from './guard.js';
import type { RequestLike } from './guarded-request.js';

/** Options of {@link permissionsHandler}. */
export interface PermissionsOptions<Action extends string = string> {
  /** The actions that a page may ask about: a list, or a catalog. Any other is answered with 400. */
  readonly actions: readonly Action[] | { readonly actions: readonly { readonly action: Action }[] };
  /** The maximum number of items in a request. Default 100. */
  readonly max?: number | undefined;
}

/** The decisions in the order of the items, for frameworks without `Response`. */
export interface PermissionsDecided {
  readonly status: 200;
  /** The headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly items: boolean[] };
  readonly cause?: undefined;
}

/** A refusal, for frameworks without `Response`. */
export interface PermissionsRefused {
  readonly status: 400 | 401 | 403 | 405 | 413 | 503;
  /** The headers, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** The error in the format of the platform's services. */
  readonly body: PlainResponse['body'];
  /** The error behind a 503, for this service's own log. Not enumerable. */
  readonly cause?: unknown;
}

/** The response to a page. Its literal statuses fit the handlers of a typed `mock.service`. */
export type PermissionsResponse = PermissionsDecided | PermissionsRefused;

/** Answers which permissions the caller has. */
export interface PermissionsHandler {
  /** Answers a request of the Fetch API. */
  (request: Request): Promise<Response>;
  /** Answers a request whose body the framework has parsed: `handler.answer(request, request.body)` in Express. */
  answer(request: RequestLike, body: unknown): Promise<PermissionsResponse>;
}

const mostBytes = 1_048_576;
/** The message of a 400 may name a field of the page's own body, which may be long. */
const longestMessage = 200;
const noStore = { 'content-type': 'application/json', 'cache-control': 'no-store' };

/** Reads a value, or a field of an object that holds it. */
const orField =
  <T>(name: string, read: Reader<T>): Reader<T> =>
  (value, reading) =>
    isObject(value) ? reading.at(name, value[name], read) : read(value, reading);
// A catalog has a list `actions`, and each of its items an `action`.
const readActions: Reader<ReadonlySet<string>> = transform(
  orField('actions', listOf(orField('action', readFilledText))),
  (actions, reading) => (actions.length > 0 ? new Set(actions) : reading.report('must not be empty')),
);
export const readPermissionsOptions = strictObject({
  actions: readActions,
  max: optional(wholeNumber('a number of items', 1, 10_000), 100),
} satisfies ReadersOf<PermissionsOptions>);

/** Reads the questions of a page: only actions and resources, so that they are about the caller alone. */
const questionsOf = (actions: ReadonlySet<string>, max: number) =>
  strictObject({
    items: listOf(
      strictObject({
        action: transform(anyText, (action, reading) =>
          actions.has(action) ? action : reading.report<string>('not an action for pages'),
        ),
        // An invalid resource is denied by the guard.
        resource: anyText,
      }),
      max,
    ),
  });

const refusal = (status: 400 | 405 | 413, message?: string, headers?: Record<string, string>): PermissionsResponse => {
  const { body, ...rest } = answer(status, headers);
  return { ...rest, body: { ...body, message: message?.slice(0, longestMessage) ?? body.message } };
};

/** Reads a body as JSON; `value` is undefined if it is not JSON. Returns undefined if the body is too large. */
async function readJson(request: Request): Promise<{ readonly value: unknown } | undefined> {
  try {
    const bytes = await readUpTo(request, mostBytes);
    return bytes && { value: JSON.parse(new TextDecoder().decode(bytes)) };
  } catch {
    return { value: undefined };
  }
}

/**
 * Creates the endpoint of a service that tells its page what the user may do, for display: behind the gateway a page
 * does not reach the authorization service. It answers `POST { items: [{ action, resource }] }` with
 * `{ items: [true, false] }`, in the order of the items, and only about the caller itself.
 *
 * 401, 403 (cross-site use of the cookie) and 503 are those of the guard; anything but such items is a 400, and a body
 * of more than 1 MiB a 413. Answers are not cacheable.
 *
 * @param guard the guard that decides; with `cookies: true` its CSRF protection applies
 * @param options `actions`: the actions that pages may ask about; `max`: the maximum number of items, default 100
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the option.
 * @example
 * ```ts
 * import { createGuard, permissionsHandler } from 'arango-services/guard';
 *
 * const guard = createGuard(client, { cookies: true });
 * export const POST = permissionsHandler(guard, { actions: ['orders:read', 'orders:write'] });
 * ```
 */
export function permissionsHandler<Action extends string>(
  guard: Pick<Guard<Action>, 'authenticate' | 'checkMany'>,
  options: PermissionsOptions<NoInfer<Action>>,
): PermissionsHandler {
  readArgument(guard, 'guard', withMethods('a guard of createGuard', 'authenticate', 'checkMany'));
  const { actions, max } = readFields(options, 'options', readPermissionsOptions);
  const readBody = questionsOf(actions, max);

  const answerTo = async (request: RequestLike, body: unknown): Promise<PermissionsResponse> => {
    const { method }: Partial<RequestLike> = Object(request);
    if (String(method ?? 'POST').toUpperCase() !== 'POST') return refusal(405, undefined, { allow: 'POST' });
    let items: readonly { readonly action: string; readonly resource: string }[];
    try {
      ({ items } = readFields(body, 'body', readBody));
    } catch (error) {
      // The reason would reveal actions to an unknown caller, or to a page of another site.
      const caller = await guard.authenticate(request);
      if (!caller.allowed) return caller;
      return refusal(400, isInvalidArgumentError(error) ? `${error.field}: ${error.problem}` : undefined);
    }
    // The cast: the actions are those of the options.
    const access = await guard.checkMany(request, items as { action: Action; resource: string }[]);
    if (access.items === undefined) return access;
    return { status: 200, headers: noStore, body: { items: access.items.map(({ allowed }) => allowed) } };
  };

  const handle = async (request: Request): Promise<Response> => {
    const read = request.method === 'POST' ? await readJson(request) : { value: undefined };
    return asResponse(read === undefined ? refusal(413) : await answerTo(request, read.value), request.method);
  };
  return Object.assign(handle, { answer: answerTo });
}
