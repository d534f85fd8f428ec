import { isCredentialsError, isHttpError } from '../../../base/error-guards.js';
import { claimsOf, readIdentity, readTimes } from '../../../base/jwt/token-text.js';
import { printable } from '../../../base/lib/text/printable.js';
import { formatList } from '../../../policy/analysis/format-regions.js';
import { type DoctorFinding, failure, ok, warning } from './doctor-finding.js';
import { type Probed, reasonOf } from './probe.js';

const check = 'token';

/** The milliseconds before its end in which a token is a warning: a script may last longer. */
const soonMs = 60_000;
/** The groups that are named; a token of a directory may have hundreds. */
const groupsShown = 10;

const duration = (ms: number): string => {
  const minutes = Math.round(Math.abs(ms) / 60_000);
  return minutes >= 2_880
    ? `${Math.round(minutes / 1_440)} days`
    : minutes >= 120
      ? `${Math.round(minutes / 60)} h`
      : minutes >= 2
        ? `${minutes} min`
        : `${Math.round(Math.abs(ms) / 1_000)} s`;
};

/** The owner of a token in words. */
function ownerOf(token: string): string {
  const { user, groups = [] } = readIdentity(token) ?? {};
  const who = user ? `of user ${JSON.stringify(user)}` : groups.length > 0 ? 'without a user' : 'of a superuser';
  const named = groups.map((group) => JSON.stringify(group));
  return printable(groups.length > 0 ? `${who}, groups ${formatList(named, '', groupsShown)}` : who);
}

/** Milliseconds until a token is valid (`nbf`), by the deployment's clock; undefined if it is, or does not say. */
function startsIn(token: string, aheadMs: number): number | undefined {
  const { nbf } = claimsOf(token);
  const waitMs = typeof nbf === 'number' ? nbf * 1_000 - Date.now() - aheadMs : 0;
  return waitMs > 0 ? waitMs : undefined;
}

/** The token that is used, or the reason why there is none. */
export type UsedToken = { readonly token?: string; readonly error?: unknown };

/**
 * Judges the token by its own words, and by the answer to it.
 * @param identity the answer of the service that tells the caller's name, or of a database; undefined if none tells
 * whether the token is accepted.
 * @param aheadMs the deployment's clock minus that of this machine, in milliseconds.
 */
export function examineToken(
  { token, error }: UsedToken,
  identity: Probed | undefined,
  aheadMs: number,
): DoctorFinding {
  if (error !== undefined) {
    const isRefused = isCredentialsError(error) && isHttpError(error.cause);
    return failure(check, reasonOf(error), isRefused ? 'check user and password' : 'give a token: --token-file');
  }
  if (token === undefined) {
    return warning(
      check,
      'there is none: all was asked without one',
      'give --token-file, or --user with --password-stdin',
    );
  }
  const isJwt = readIdentity(token) !== undefined;
  const { expiresAt } = readTimes(token);
  const leftMs = expiresAt && expiresAt.getTime() - Date.now() - aheadMs;
  const again = 'sign in again';
  if (leftMs !== undefined && leftMs <= 0)
    return failure(check, `${ownerOf(token)}; expired ${duration(leftMs)} ago`, again);
  if (identity?.status === 401 || identity?.status === 403) {
    const waitMs = isJwt ? startsIn(token, aheadMs) : undefined;
    const early = waitMs === undefined ? '' : `; not valid for another ${duration(waitMs)} (nbf)`;
    const what = isJwt
      ? `${ownerOf(token)}; the deployment refuses it${early}`
      : 'is not a JWT, and the deployment refuses it';
    return failure(check, what, `${again}: it may be of another deployment, or its key was replaced`);
  }
  if (!isJwt) return warning(check, 'is not a JWT: neither owner nor expiry can be read', 'use a token of a login');
  const lasts = leftMs === undefined ? 'does not expire' : `expires in ${duration(leftMs)}`;
  const message = `${ownerOf(token)}; ${lasts}${identity ? '' : '; no answer tells whether it is accepted'}`;
  return leftMs !== undefined && leftMs < soonMs ? warning(check, message, again) : ok(check, message);
}
