import type { Settings } from './config/mock-config.js';
import type { FidelityRules } from './fidelity-rules.js';
import type { VersionRules } from './platform-version.js';
import type { Epochs } from './state/epochs.js';
import type { SavedClock } from './state/mock-clock.js';
import type { Store } from './state/store.js';
import type { Tokens } from './state/tokens.js';
import type { Watcher } from './wire/mock-events.js';

/** The scripted faults of decisions. */
export interface EvaluationFaults {
  /** True if the decision being made must fail. Consumes one such fault. */
  takeEvaluation(): boolean;
}

/** The state and rules that services work on, one per mock. */
export interface Platform {
  readonly settings: Settings;
  /** The rules of the mock's fidelity, one field per difference. */
  readonly fidelity: FidelityRules;
  /** The rules of the platform's version, one field per difference. */
  readonly version: VersionRules;
  readonly clock: SavedClock;
  readonly store: Store;
  readonly tokens: Tokens;
  readonly faults: EvaluationFaults;
  readonly epochs: Epochs;
  /** The watchers of the services' events. */
  readonly watchers: Set<Watcher>;
}
