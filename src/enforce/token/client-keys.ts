import { InvalidArgumentError } from '../../base/errors.js';
import type { VerificationKey } from '../../base/jwt/keys.js';
import { anyText, fieldsOf, listOf, readArgument } from '../../base/lib/readers.js';
import { remember } from '../../base/lib/remember.js';
import { SingleFlight } from '../../base/lib/single-flight.js';
import { importPublicKeys } from './given-keys.js';
import type { KeySource, Unverified } from './key-source.js';
import type { KeyedClient } from './keyed-client.js';
import { UnknownKeyError } from './unknown-key-error.js';

const fetchTimeoutMs = 10_000;
/** Callers wait this long for the load of another one, whose request may have ended; a guard waits 5 s in all. */
const joinMs = 2_000;
/** The time after a load from which any token that no key verifies may load the keys again. */
const reloadMs = 30_000;
/** Before that, tokens newer than the keys may load them three times in a row, and then once in this time. */
const extraMs = 5_000;
const extraAheadMs = 10_000;
const readPublished = fieldsOf({ keys: listOf(anyText) });

/** The keys that a client's deployment publishes, as of the last load. */
export class ClientKeys implements KeySource {
  readonly #authentication: KeyedClient['authentication'];
  readonly #loading = new SingleFlight<readonly VerificationKey[]>(joinMs);
  /** The number of loads that have begun; `#keys` are those of load number `#loaded`. */
  loads = 0;
  #loaded = 0;
  #keys: readonly VerificationKey[] | undefined;
  /** The keys that the loads in flight bring first. */
  #coming: Promise<readonly VerificationKey[]> | undefined;
  /** The start of the load of `#keys` and, as `#askedAt`, of the last load, on the monotonic clock. */
  #loadedAt = 0;
  #askedAt = 0;
  /** The time at which all extra loads are allowed again. */
  #extraAt = 0;

  constructor(authentication: KeyedClient['authentication']) {
    this.#authentication = authentication;
  }

  /** Returns the keys, loaded on first use. */
  async current(): Promise<readonly VerificationKey[]> {
    return this.#keys ?? this.#loading.run(this.#load);
  }

  async newer(
    tried: readonly VerificationKey[],
    { age, loads }: Unverified,
  ): Promise<readonly VerificationKey[] | undefined> {
    if (tried !== this.#keys) return this.#keys;
    const now = performance.now();
    const reloadIn = this.#askedAt + reloadMs - now;
    if (!this.#loading.underWay && reloadIn > 0) {
      if (this.#loaded > loads || age > now - this.#loadedAt) return undefined;
      const extraIn = this.#extraAt - extraAheadMs - now;
      if (extraIn > 0) throw new UnknownKeyError(Math.min(extraIn, reloadIn));
      this.#extraAt = Math.max(this.#extraAt, now) + extraMs;
    }
    return this.#loading.run(this.#load);
  }

  /** Begins a load. A load that takes too long is replaced, but its keys may still come first. */
  readonly #load = (): Promise<readonly VerificationKey[]> => {
    const load = this.#fetch();
    this.#coming = Promise.race([load, this.#coming?.catch(() => load) ?? load]);
    return this.#coming;
  };

  async #fetch(): Promise<readonly VerificationKey[]> {
    const askedAt = performance.now();
    this.#askedAt = askedAt;
    const load = ++this.loads;
    const answer: unknown = await this.#authentication.keys({ timeout: fetchTimeoutMs });
    const { keys } = readArgument(answer, 'client.authentication.keys()', readPublished);
    if (keys.length === 0) {
      throw new InvalidArgumentError(
        'client',
        'its deployment signs with a secret and publishes no keys; ' +
          'give { secret }, or ask client.authentication.validate',
      );
    }
    const imported = await importPublicKeys(keys, 'client.keys');
    this.#coming = undefined;
    // The keys of a load that was replaced are older.
    if (load > this.#loaded) {
      this.#keys = imported;
      this.#loaded = load;
      this.#loadedAt = askedAt;
    }
    return imported;
  }
}

// Keys are kept outside the client, which may be the caller's own object. This is the one exception to "no state at
// module level": an entry of a WeakMap disappears with its object.
const published = /* @__PURE__ */ new WeakMap<KeyedClient['authentication'], ClientKeys>();

/** The published keys of a client's deployment; the same object for each call with one client. */
export function keysOfClient({ authentication }: KeyedClient): ClientKeys {
  return remember(published, authentication, () => new ClientKeys(authentication));
}
