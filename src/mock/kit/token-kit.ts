import { InvalidArgumentError } from '../../base/errors.js';
import { readDuration } from '../../base/lib/duration.js';
import {
  accepting,
  anyText,
  asGiven,
  expected,
  listOf,
  optionsOf,
  type ReadersOf,
  readArgument,
  readFields,
  readFlag,
  readObject,
  withoutUndefined,
} from '../../base/lib/readers.js';
import type { Forgery, IssueRequest } from '../options/issue-request.js';
import type { Platform } from '../platform.js';
import { createKey, type Key } from '../state/signing-keys.js';

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
  user: accepting<string | null>('a string or null', (value) => value === null || typeof value === 'string'),
  groups: listOf(anyText),
  lifetime: readDuration,
} satisfies ReadersOf<IssueRequest>;
const flaws = ['expired', 'notYetValid', 'wrongKey', 'none'] as const;
export const readIssueRequest = withoutUndefined(optionsOf(requestReaders), 'user');
export const readForgery = withoutUndefined(
  optionsOf({
    ...requestReaders,
    expired: readFlag,
    notYetValid: readFlag,
    wrongKey: readFlag,
    none: readFlag,
    algorithm: asGiven,
    claims: readObject,
  } satisfies ReadersOf<Forgery>),
  'user',
);

function checkForgery(forgery: Forgery, key: Key): void {
  readFields(forgery, 'forgery', readForgery);
  const { algorithm, claims, none, wrongKey } = forgery;
  if (flaws.every((flaw) => forgery[flaw] !== true) && (algorithm ?? claims) === undefined) {
    throw new InvalidArgumentError('forgery', `expected one of ${flaws.join(', ')}, algorithm or claims`);
  }
  if (none === true && (wrongKey === true || algorithm !== undefined)) {
    throw new InvalidArgumentError('none', 'cannot be combined with wrongKey or algorithm');
  }
  if (algorithm === undefined) return;
  const others = [...hmacAlgorithms, 'ES256'].filter((algorithm) => algorithm !== key.algorithm);
  if (!others.includes(algorithm)) throw expected('algorithm', `one of ${others.join(', ')}`, algorithm);
  if (wrongKey === true) throw new InvalidArgumentError('wrongKey', 'cannot be combined with algorithm');
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
    const { signToken, unsignedToken } = await import('../../base/jwt/sign.js');
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
