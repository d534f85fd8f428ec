import { InvalidArgumentError } from '../../errors.js';
import { readDuration } from '../../lib/duration.js';
import {
  accepting,
  anyText,
  asGiven,
  expected,
  listOf,
  optionsOf,
  readArgument,
  readFields,
  readFlag,
  readObject,
} from '../../lib/readers.js';
import type { Platform } from '../platform.js';
import { createKey, type Key } from '../state/keys.js';

/** What `issue` puts into a token. */
export interface IssueRequest {
  /** Whose token it is. Default: the configured user of tokens, `root`. `null` makes a superuser's token. */
  readonly user?: string | null | undefined;
  /** The user's groups. Default: none. */
  readonly groups?: readonly string[] | undefined;
  /**
   * How long it is valid: a duration like `'10m'`. Default: the configured one. It is not clamped to the configured
   * limits.
   */
  readonly lifetime?: string | undefined;
}

/** What is wrong with a forged token; at least one of these. */
export interface Forgery extends IssueRequest {
  /** The token expired a second ago. */
  readonly expired?: boolean | undefined;
  /** The token is valid from an hour on (`nbf`). */
  readonly notYetValid?: boolean | undefined;
  /** The token is signed by a key that the mock does not have. */
  readonly wrongKey?: boolean | undefined;
  /** The token has no signature (`alg: none`). */
  readonly none?: boolean | undefined;
  /** The token is signed with the mock's secret or public key, but by this algorithm, which is not the key's. */
  readonly algorithm?: 'HS256' | 'HS384' | 'HS512' | 'ES256' | undefined;
  /** Claims that replace the usual ones; `undefined` leaves one out. */
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Tokens for tests.
 * @example
 * ```ts
 * import { createMock } from 'arango-services/mock';
 *
 * const mock = await createMock();
 * const token = await mock.tokens.issue({ user: 'alice', groups: ['viewer'], lifetime: '10m' });
 * const expired = await mock.tokens.forge({ user: 'alice', expired: true });
 * mock.tokens.revoke(token);
 * ```
 */
export interface TokenKit {
  /**
   * Makes a good token, signed with the active key, which begins now by the mock's clock.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the field.
   */
  issue(request?: IssueRequest): Promise<string>;
  /**
   * Makes a token that is wrong in the ways that are asked for, and good in all others.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the field, and for a token that would be good.
   */
  forge(forgery: Forgery): Promise<string>;
  /**
   * Has the mock refuse a token from now on, in both fidelities, however its signature is written.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for what is no text.
   */
  revoke(token: string): void;
}

const requestReaders = {
  user: accepting<string | null>('text or null', (value) => value === null || typeof value === 'string'),
  groups: listOf(anyText, Number.POSITIVE_INFINITY),
  lifetime: readDuration,
};
const flaws = ['expired', 'notYetValid', 'wrongKey', 'none'] as const;
const readIssueRequest = optionsOf(requestReaders);
const readForgery = optionsOf({
  ...requestReaders,
  expired: readFlag,
  notYetValid: readFlag,
  wrongKey: readFlag,
  none: readFlag,
  algorithm: asGiven,
  claims: readObject,
});

function checkForgery(forgery: Forgery, key: Key): void {
  readFields(forgery, 'forgery', readForgery);
  const { algorithm, claims, none, wrongKey } = forgery;
  if (flaws.every((flaw) => forgery[flaw] !== true) && (algorithm ?? claims) === undefined) {
    throw new InvalidArgumentError(
      'forgery',
      'expected one of expired, notYetValid, wrongKey, none, algorithm or claims',
    );
  }
  if (none === true && (wrongKey === true || algorithm !== undefined)) {
    throw new InvalidArgumentError('none', 'is a token without a signature: expected no wrongKey and no algorithm');
  }
  if (algorithm === undefined) return;
  const others = [...hmacAlgorithms, 'ES256'].filter((one) => one !== key.algorithm);
  if (!others.includes(algorithm)) throw expected('algorithm', `one of ${others.join(', ')}`, algorithm);
  if (wrongKey === true) throw new InvalidArgumentError('wrongKey', 'says the same as algorithm: expected one of them');
}

const hmacAlgorithms: ReadonlySet<string> = /* @__PURE__ */ new Set(['HS256', 'HS384', 'HS512']);

/** Makes the token kit of a mock. */
export function createTokenKit({ settings, tokens, clock }: Platform): TokenKit {
  const lifetimeOf = ({ lifetime }: IssueRequest): number =>
    lifetime === undefined ? settings.authentication.token.defaultMs : readArgument(lifetime, 'lifetime', readDuration);
  const userOf = ({ user }: IssueRequest): string | undefined =>
    user === null ? undefined : (user ?? settings.authentication.token.user);

  async function signAs(payload: Record<string, unknown>, forgery: Forgery): Promise<string> {
    const key = tokens.keys.active();
    const { signToken, unsignedToken } = await import('../../jwt/sign.js');
    if (forgery.none === true) return unsignedToken(payload);
    const { algorithm = key.algorithm } = forgery;
    // What an attacker has who takes the public key for a secret.
    if (algorithm !== key.algorithm && algorithm !== 'ES256') return signToken(payload, algorithm, key.material);
    const signer = algorithm === key.algorithm && forgery.wrongKey !== true ? key : await createKey(algorithm);
    return signToken(payload, signer.algorithm, signer.sign ?? signer.verify);
  }

  return {
    async issue(request = {}) {
      readFields(request, 'request', readIssueRequest);
      const groups = request.groups ?? [];
      return tokens.sign({ user: userOf(request), groups, lifetimeMs: lifetimeOf(request) });
    },
    async forge(forgery) {
      checkForgery(forgery, tokens.keys.active());
      const { expired, notYetValid, claims } = forgery;
      const now = Math.floor(clock.now() / 1000);
      const payload = {
        exp: expired === true ? now - 1 : now + Math.floor(lifetimeOf(forgery) / 1000),
        groups: [...(forgery.groups ?? [])],
        iat: expired === true ? now - 3600 : now,
        iss: 'arangodb',
        preferred_username: userOf(forgery),
        ...(notYetValid === true ? { nbf: now + 3600 } : {}),
        ...claims,
      };
      return signAs(payload, forgery);
    },
    revoke(token) {
      if (typeof token !== 'string' || token === '') throw expected('token', 'a token', token);
      tokens.revoke(token);
    },
  };
}
