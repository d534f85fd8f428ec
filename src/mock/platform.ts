import type { Settings } from './config/settings.js';
import type { FidelityRules } from './fidelity.js';
import type { SavedClock } from './state/clock.js';
import type { Epochs } from './state/epochs.js';
import type { Store } from './state/store.js';
import type { Tokens } from './state/tokens.js';

/** The scripted faults of decisions. */
export interface EvaluationFaults {
  /** Whether the decision that is being made has to fail; takes one such fault. */
  takeEvaluation(): boolean;
}

/** Everything that a service works on; one for each mock. */
export interface Platform {
  readonly settings: Settings;
  /** What the mock's fidelity says, one field a difference. */
  readonly fidelity: FidelityRules;
  readonly clock: SavedClock;
  readonly store: Store;
  readonly tokens: Tokens;
  readonly faults: EvaluationFaults;
  readonly epochs: Epochs;
}
