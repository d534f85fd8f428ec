import type { CallInfo } from '../../../base/arango-services-error.js';
import { InvalidArgumentError } from '../../../base/errors.js';
import { noBearerToken } from '../../../base/lib/sign-in-marks.js';

/** The header of credentials that give none. */
const none = 'Bearer ';

/** The caller as the first field of a question: the user that the credentials identify, or the bearer token. */
export type OwnSubject = { readonly user: string } | { readonly token: string };

/**
 * Returns the caller: the user that the credentials identify, or else the bearer token of the `Authorization` header.
 * @throws InvalidArgumentError for a header without a bearer token, and for a user without a name, or `root`: both may
 * stand for a token without a user, and so for the superuser.
 */
export async function readOwn(
  authorization: string,
  callInfo: CallInfo,
  identify?: () => string | undefined | Promise<string | undefined>,
): Promise<OwnSubject> {
  // Any other header was set by the caller, and may be of another user.
  const value = identify ? authorization === none && (await identify()) : /^bearer +(\S*)$/i.exec(authorization)?.[1];
  if (typeof value !== 'string' || (identify && /^(root)?$/.test(value))) {
    throw new InvalidArgumentError('self', identify ? 'is root or nameless' : noBearerToken, callInfo);
  }
  return identify ? { user: value } : { token: value };
}

/** Adds the caller to an encoded JSON object, as its first field. */
export const addOwn = (own: OwnSubject, body: unknown): string =>
  `${JSON.stringify(own).slice(0, -1)},${String(body).slice(1)}`;
