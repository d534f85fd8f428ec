import type { Fitting } from './ask-questions.js';
import type { KnownState } from './checks/state-checks.js';
import type { PartDifference } from './compare-answers.js';
import type { DeploymentSettings } from './deployment-settings.js';
import type { ConformanceClock } from './pace.js';
import type { Preparation } from './preparation.js';
import type { SentenceName } from './sentences.js';
import type { CheckedDeployment } from './side.js';

/** The findings of a check: its differences if it was asked, else the reason why not. */
export interface CheckFinding {
  readonly name: string;
  readonly says: SentenceName;
  readonly parts?: readonly (PartDifference & { readonly question: string })[];
  readonly why?: string | undefined;
}

/** The parts of a run that its later stages share. */
export interface RunParts {
  readonly deployment: CheckedDeployment;
  readonly preparation: Preparation;
  readonly state: KnownState;
  /** The settings of the mock to compare with. */
  readonly settings: DeploymentSettings;
  readonly fitting: Fitting;
  readonly clock: ConformanceClock;
  readonly signal: AbortSignal | undefined;
}
