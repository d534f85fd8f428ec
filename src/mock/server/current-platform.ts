import type { Platform } from '../platform.js';
import type { Exchange } from '../wire/mock-exchange.js';

/** Thrown when a request outlives a restore. No caller sees it, because the connection is dropped. */
class EpochEnded extends Error {}

/** Throws if the mock was restored after the request began. */
export function checkEpoch({ began }: Exchange): void {
  if (began.aborted) throw new EpochEnded('the mock was restored');
}

/**
 * The platform as one request sees it: after a restore, any access to the state throws. So a service must read a part
 * of it (`platform.store`) after the last `await` before using it, not earlier. A class for speed.
 */
export class CurrentPlatform implements Platform {
  readonly settings: Platform['settings'];
  readonly fidelity: Platform['fidelity'];
  readonly version: Platform['version'];
  readonly clock: Platform['clock'];
  readonly epochs: Platform['epochs'];
  readonly watchers: Platform['watchers'];
  readonly #exchange: Exchange;
  readonly #platform: Platform;

  constructor(exchange: Exchange, platform: Platform) {
    this.settings = platform.settings;
    this.fidelity = platform.fidelity;
    this.version = platform.version;
    this.clock = platform.clock;
    this.epochs = platform.epochs;
    this.watchers = platform.watchers;
    this.#exchange = exchange;
    this.#platform = platform;
  }

  get store(): Platform['store'] {
    return this.#current().store;
  }

  get tokens(): Platform['tokens'] {
    return this.#current().tokens;
  }

  get faults(): Platform['faults'] {
    return this.#current().faults;
  }

  #current(): Platform {
    checkEpoch(this.#exchange);
    return this.#platform;
  }
}
