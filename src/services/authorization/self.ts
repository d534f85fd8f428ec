import { type CallInfo, InvalidArgumentError } from '../../errors.js';
import { noBearerToken } from '../../lib/sign-in-marks.js';

/** The header of credentials that give none. */
const none = 'Bearer ';

/**
 * Adds the caller to an encoded JSON object, as its first field: the user that the credentials identify, or else the
 * bearer token of the `Authorization` header.
 * @throws InvalidArgumentError for a header without a bearer token, and for a user without a name, or `root`: both may
 * stand for a token without a user, and so for the superuser.
 */
export async function addSelf(
  body: unknown,
  authorization: string,
  callInfo: CallInfo,
  identify?: () => string | undefined | Promise<string | undefined>,
): Promise<string> {
  // Any other header is the caller's own, and may be of another user.
  const value = identify ? authorization === none && (await identify()) : /^bearer +(\S*)$/i.exec(authorization)?.[1];
  if (typeof value !== 'string' || (identify && /^(root)?$/.test(value))) {
    throw new InvalidArgumentError('self', identify ? 'is root or nameless' : noBearerToken, callInfo);
  }
  return `{"${identify ? 'user' : 'token'}":${JSON.stringify(value)},${String(body).slice(1)}`;
}
