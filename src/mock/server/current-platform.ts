import type { Platform } from '../platform.js';
import type { Exchange } from '../wire/exchange.js';

/**
 * What a request meets that goes on after the mock was restored. Nobody sees it: the connection of the request is
 * closed.
 */
class EpochEnded extends Error {}

/** Throws once a request belongs to the past. */
export function checkEpoch({ began }: Exchange): void {
  if (began.aborted) throw new EpochEnded('the mock was restored');
}

/** What `platformFor` gives: a class, because it is made for every request. */
class CurrentPlatform implements Platform {
  readonly settings: Platform['settings'];
  readonly fidelity: Platform['fidelity'];
  readonly clock: Platform['clock'];
  readonly epochs: Platform['epochs'];
  readonly #exchange: Exchange;
  readonly #platform: Platform;

  constructor(exchange: Exchange, platform: Platform) {
    this.settings = platform.settings;
    this.fidelity = platform.fidelity;
    this.clock = platform.clock;
    this.epochs = platform.epochs;
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

/**
 * The platform as one request sees it: once the request belongs to the past, every access to the state throws.
 * So a service takes a part of it (`platform.store`) after the last `await` before it uses it, not earlier.
 */
export function platformFor(exchange: Exchange, platform: Platform): Platform {
  return new CurrentPlatform(exchange, platform);
}
