import { InvalidArgumentError } from '../../base/errors.js';
import type { VerificationKey } from '../../base/jwt/keys.js';
import { anyText, fieldsOf, listOf, readArgument } from '../../base/lib/readers.js';
import { SingleFlight } from '../../base/lib/single-flight.js';
import { importPublicKeys } from './given-keys.js';
import type { KeySource } from './key-source.js';
import type { KeyedClient } from './keyed-client.js';

const fetchTimeoutMs = 10_000;
const refetchMs = 30_000;
const readPublished = fieldsOf({ keys: listOf(anyText) });

/** The keys that a client's deployment publishes, as of the last fetch. */
export class ClientKeys implements KeySource {
  readonly #authentication: KeyedClient['authentication'];
  readonly #fetching = new SingleFlight<readonly VerificationKey[]>(fetchTimeoutMs);
  #keys: readonly VerificationKey[] | undefined;
  #askedAt = 0;

  constructor(authentication: KeyedClient['authentication']) {
    this.#authentication = authentication;
  }

  /** Returns the keys, fetched on first use. */
  async current(): Promise<readonly VerificationKey[]> {
    return this.#keys ?? this.#fetching.run(this.#fetch);
  }

  /** Fetches the keys again; undefined if the last fetch was less than 30 s ago. */
  async newer(): Promise<readonly VerificationKey[] | undefined> {
    if (!this.#fetching.underWay && performance.now() - this.#askedAt < refetchMs) return undefined;
    return this.#fetching.run(this.#fetch);
  }

  readonly #fetch = async (): Promise<readonly VerificationKey[]> => {
    const askedAt = performance.now();
    this.#askedAt = askedAt;
    const answer: unknown = await this.#authentication.keys({ timeout: fetchTimeoutMs });
    const { keys } = readArgument(answer, 'client.authentication.keys()', readPublished);
    if (keys.length === 0) {
      throw new InvalidArgumentError(
        'client',
        'its deployment signs with a secret and publishes no keys; ' +
          'give { secret }, or ask client.authentication.validate(token)',
      );
    }
    const imported = await importPublicKeys(keys, 'client.keys');
    // A fetch that takes too long is replaced. If it ends after all, its keys are older.
    if (this.#askedAt === askedAt) this.#keys = imported;
    return imported;
  };
}

// Keys are kept outside the client, which may be the caller's own object. This is the one exception to "no state at
// module level": an entry of a WeakMap disappears with its object.
const published = /* @__PURE__ */ new WeakMap<KeyedClient['authentication'], ClientKeys>();

/** The published keys of a client's deployment; the same object for each call with one client. */
export function keysOfClient({ authentication }: KeyedClient): ClientKeys {
  const known = published.get(authentication);
  if (known !== undefined) return known;
  const keys = new ClientKeys(authentication);
  published.set(authentication, keys);
  return keys;
}
