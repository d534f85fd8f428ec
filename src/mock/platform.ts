import type { SavedClock } from './clock.js';
import type { Faults } from './faults.js';
import type { Settings } from './settings.js';
import type { Store } from './store.js';
import type { Tokens } from './tokens.js';

/** Everything that a service works on; one for each mock. */
export interface Platform {
  readonly settings: Settings;
  readonly clock: SavedClock;
  readonly store: Store;
  readonly tokens: Tokens;
  readonly faults: Faults;
}
