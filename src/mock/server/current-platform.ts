import type { Platform } from '../platform.js';
import type { Exchange } from '../wire/exchange.js';

/** What a request meets that goes on after the mock was restored. Nobody sees it: the connection of the request is closed. */
class EpochEnded extends Error {}

/** Throws once a request belongs to the past. */
export function checkEpoch({ began }: Exchange): void {
  if (began.aborted) throw new EpochEnded('the mock was restored');
}

/**
 * The platform as one request sees it: once the request belongs to the past, every access to the state throws.
 * So a service takes a part of it (`platform.store`) after the last `await` before it uses it, not earlier.
 */
export function platformFor(exchange: Exchange, platform: Platform): Platform {
  const { settings, fidelity, clock, epochs } = platform;
  return {
    settings,
    fidelity,
    clock,
    epochs,
    get store() {
      checkEpoch(exchange);
      return platform.store;
    },
    get tokens() {
      checkEpoch(exchange);
      return platform.tokens;
    },
    get faults() {
      checkEpoch(exchange);
      return platform.faults;
    },
  };
}
