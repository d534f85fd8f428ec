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

/** The content of a token to issue. */
export interface IssueRequest {
  /** The user of the token. Default: the configured user of tokens, `root`. `null` makes a superuser's token. */
  readonly user?: string | null | undefined;
  /** The user's groups. Default: none. */
  readonly groups?: readonly string[] | undefined;
  /**
   * The lifetime, a duration like `'10m'`, which is not clamped to the configured limits. Default: the configured one.
   */
  readonly lifetime?: string | undefined;
}

/** The flaws of a forged token, at least one. */
export interface Forgery extends IssueRequest {
  /** The token expired a second ago. */
  readonly expired?: boolean | undefined;
  /** The token becomes valid in an hour (`nbf`). */
  readonly notYetValid?: boolean | undefined;
  /** The token is signed by a key that the mock does not have. */
  readonly wrongKey?: boolean | undefined;
  /** The token has no signature (`alg: none`). */
  readonly none?: boolean | undefined;
  /** The token is signed with the mock's secret or public key, but with this algorithm instead of the key's. */
  readonly algorithm?: 'HS256' | 'HS384' | 'HS512' | 'ES256' | undefined;
  /** Claims that override the usual ones; `undefined` omits one. */
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
   * Creates a valid token, signed with the active key and issued now by the mock's clock.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the field.
   */
  issue(request?: IssueRequest): Promise<string>;
  /**
   * Creates a token with these flaws, valid in all other respects.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the field, and for a token that would be valid.
   */
  forge(forgery: Forgery): Promise<string>;
  /**
   * Revokes a token: the mock refuses it in both fidelities, however its signature is encoded.
   * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) if it is not text, or empty.
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
    throw new InvalidArgumentError('none', 'makes a token without a signature: expected no wrongKey and no algorithm');
  }
  if (algorithm === undefined) return;
  const others = [...hmacAlgorithms, 'ES256'].filter((one) => one !== key.algorithm);
  if (!others.includes(algorithm)) throw expected('algorithm', `one of ${others.join(', ')}`, algorithm);
  if (wrongKey === true)
    throw new InvalidArgumentError('wrongKey', 'cannot be combined with algorithm: expected one of them');
}

const hmacAlgorithms: ReadonlySet<string> = /* @__PURE__ */ new Set(['HS256', 'HS384', 'HS512']);

/** Creates the token kit of a mock. */
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
    // Algorithm confusion: the public key used as an HMAC secret.
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
