import { InvalidArgumentError } from '../errors.js';
import type { VerificationKey } from '../jwt/keys.js';
import { SingleFlight } from '../lib/single-flight.js';
import { importKeys } from './given-keys.js';
import type { KeySource } from './key-source.js';
import type { KeyedClient } from './keyed-client.js';

const fetchTimeoutMs = 10_000;
const refetchMs = 30_000;

/** The published keys of one deployment, as they were fetched last. */
export class PublishedKeys implements KeySource {
  readonly #authentication: KeyedClient['authentication'];
  readonly #fetching = new SingleFlight<readonly VerificationKey[]>(fetchTimeoutMs);
  #keys: readonly VerificationKey[] | undefined;
  #askedAt = 0;

  constructor(authentication: KeyedClient['authentication']) {
    this.#authentication = authentication;
  }

  /** The keys; fetched where there are none yet. */
  async current(): Promise<readonly VerificationKey[]> {
    return this.#keys ?? this.#fetching.run(this.#fetch);
  }

  /** The keys of now; undefined where they were asked for less than 30 s ago. */
  async newer(): Promise<readonly VerificationKey[] | undefined> {
    if (!this.#fetching.underWay && performance.now() - this.#askedAt < refetchMs) return undefined;
    return this.#fetching.run(this.#fetch);
  }

  readonly #fetch = async (): Promise<readonly VerificationKey[]> => {
    const askedAt = performance.now();
    this.#askedAt = askedAt;
    const { keys } = await this.#authentication.keys({ timeout: fetchTimeoutMs });
    if (keys.length === 0) {
      throw new InvalidArgumentError(
        'client',
        'its deployment publishes no keys, because they are symmetric; give { secret }, or ask client.authentication.validate(token)',
      );
    }
    const imported = await importKeys(keys, 'client.keys');
    // A fetch that was replaced, and ends after all, has the older keys.
    if (this.#askedAt === askedAt) this.#keys = imported;
    return imported;
  };
}

// Beside the clients: nothing of this package is written on an object that may be the caller's own. The one exception
// to "no state at module level": what a WeakMap has of an instance belongs to that instance, and goes with it.
const published = /* @__PURE__ */ new WeakMap<KeyedClient['authentication'], PublishedKeys>();

/** The published keys of a client's deployment; always the same object for one client. */
export function publishedKeys({ authentication }: KeyedClient): PublishedKeys {
  const known = published.get(authentication);
  if (known !== undefined) return known;
  const keys = new PublishedKeys(authentication);
  published.set(authentication, keys);
  return keys;
}
