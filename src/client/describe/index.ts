import { isArangoServicesError } from '../../base/arango-services-error.js';
import type { HttpError, InvalidArgumentError } from '../../base/errors.js';
import { isSignInRequired, isWrongPassword } from '../credentials/sign-in.js';

/**
 * The kinds of {@link ErrorDescription}. They are stable: a release may add one, but neither renames nor splits one.
 * @example
 * ```ts
 * import { errorKinds } from 'arango-services/describe';
 *
 * const translated = new Map(errorKinds.map((kind) => [kind, `errors.${kind}`]));
 * ```
 */
export const errorKinds = [
  'sign-in',
  'wrong-password',
  'forbidden',
  'not-found',
  'conflict',
  'invalid',
  'too-large',
  'too-many-requests',
  'unavailable',
  'server',
  'network',
  'timeout',
  'cancelled',
  'unexpected-answer',
  'upload',
  'unknown',
] as const;

/** The kind of an error, for a translation of its title and its detail. */
export type ErrorKind = (typeof errorKinds)[number];

/** An error in words for people. */
export interface ErrorDescription {
  readonly kind: ErrorKind;
  /** A heading, without a full stop. */
  readonly title: string;
  /** The server's reason, if it is about the input, with the paths of its fields; else a sentence. Never empty. */
  readonly detail: string;
  /** True if the same call may succeed later. */
  readonly canRetry: boolean;
  /** True if the user has to sign in again, as `isSignInRequired`. */
  readonly needsSignIn: boolean;
}

const later = 'Please try again in a moment.';

const words: Readonly<Record<ErrorKind, readonly [title: string, detail: string, canRetry?: true]>> = {
  'sign-in': ['Please sign in', 'Your session has ended, or you are not signed in.'],
  'wrong-password': ['Wrong name or password', 'Please check both, and sign in again.'],
  forbidden: ['Not allowed', 'You do not have the permission for this.'],
  'not-found': ['Not found', 'It does not exist, or no longer exists.'],
  conflict: ['Changed meanwhile', 'It was changed or exists already. Please load it again.'],
  invalid: ['Please check your input', 'The service did not accept the input.'],
  'too-large': ['Too large', 'The service does not accept this size.'],
  'too-many-requests': ['Too many requests', later, true],
  unavailable: ['Not available', `The service is not available now. ${later}`, true],
  server: ['The service failed', `This is not your fault. ${later}`, true],
  network: ['No connection', 'The service could not be reached. Please check your connection, and try again.', true],
  timeout: ['No answer in time', 'It may have been done nevertheless. Please look before you try again.', true],
  cancelled: ['Cancelled', 'This was cancelled before it was done.', true],
  'unexpected-answer': ['Unexpected answer', 'The service answered in a form that this page does not know.'],
  upload: ['Not sent', 'The data could not be read to its end.', true],
  unknown: ['Something went wrong', 'The reason is unknown.'],
};

const ofStatus: Readonly<Record<number, ErrorKind>> = {
  401: 'sign-in',
  403: 'forbidden',
  404: 'not-found',
  408: 'timeout',
  409: 'conflict',
  410: 'not-found',
  412: 'conflict',
  413: 'too-large',
  429: 'too-many-requests',
  501: 'unexpected-answer',
  502: 'unavailable',
  503: 'unavailable',
  504: 'timeout',
};
const ofCode: Readonly<Record<string, ErrorKind>> = {
  REDIRECT: 'unexpected-answer',
  NETWORK: 'network',
  TIMEOUT: 'timeout',
  ABORTED: 'cancelled',
  PARSE: 'unexpected-answer',
  SCHEMA: 'unexpected-answer',
  INVALID_ARGUMENT: 'invalid',
  PERMISSION_DENIED: 'forbidden',
  UPLOAD: 'upload',
  REPLICA: 'unavailable',
  UNKNOWN_KEY: 'unavailable',
  POLICY: 'invalid',
  ANALYSIS: 'invalid',
  PERMISSIONS: 'invalid',
};
/** Kinds whose reason is about what the user did. */
const spoken: readonly ErrorKind[] = ['forbidden', 'not-found', 'conflict', 'invalid', 'too-large'];
/** Status texts, which stand in for a reason that the server did not send. */
const statusText =
  /^(bad request|forbidden|not found|conflict|gone|precondition failed|unprocessable \w+|[\w ]{1,20} too large)$/i;

/** The fields of this package's errors that tell them apart, and those for people. */
type Fields = Partial<
  Pick<HttpError, 'status' | 'reason' | 'needs'> & Pick<InvalidArgumentError, 'field' | 'problem'>
> & { readonly code?: string };

function kindOf(error: unknown, { code = '', status = 0 }: Fields): ErrorKind {
  if (isWrongPassword(error)) return 'wrong-password';
  if (isSignInRequired(error)) return 'sign-in';
  if (code === 'HTTP') return ofStatus[status] ?? (status < 500 ? 'invalid' : 'server');
  return ofCode[code] ?? 'unknown';
}

/** The reason for people: that of the server, or of an argument with its field. */
function reasonOf({ reason = '', needs, field, problem }: Fields): string {
  if (needs) return `This needs the permission ${needs.action} on ${needs.resource}.`;
  if (problem) return [field, problem].filter(Boolean).join(': ');
  return statusText.test(reason) ? '' : reason;
}

/**
 * Describes any error in plain English, for a message to a user. The texts contain no secret; the kind is for
 * translations.
 * @example
 * ```ts
 * import { describeError } from 'arango-services/describe';
 *
 * await orders.post({ rows: [] }).catch((error: unknown) => {
 *   const { title, detail, canRetry } = describeError(error);
 *   console.log(title, detail, canRetry ? '[Try again]' : '');
 * });
 * ```
 */
export function describeError(error: unknown): ErrorDescription {
  const { cause } = Object(error);
  // A failed token request says more than that there is no token.
  const isForToken = isArangoServicesError(error) && error.code === 'CREDENTIALS' && isArangoServicesError(cause);
  const failure = isForToken ? cause : error;
  // The cast: all fields are optional.
  const fields: Fields = isArangoServicesError(failure) ? (failure as Fields) : {};
  // The names include those of `fetch` itself, and that of a signal of `AbortSignal.timeout`.
  const names = [Object(error).name, Object(cause).name];
  const kind = names.includes('TimeoutError')
    ? 'timeout'
    : names[0] === 'AbortError'
      ? 'cancelled'
      : kindOf(error, fields);
  const [title, detail, canRetry = false] = words[kind];
  const reason = spoken.includes(kind) ? reasonOf(fields) : '';
  return { kind, title, detail: reason || detail, canRetry, needsSignIn: isSignInRequired(error) };
}
