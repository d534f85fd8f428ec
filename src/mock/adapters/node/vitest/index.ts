// A reporter of vitest that writes the decisions of a suite's mocks to a log. Runs in vitest's main process.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ReadersOf, readFields, readName, strictObject } from '../../../../base/lib/readers.js';
import type { MadeDecision } from '../../../../policy/decision-line/made-decision.js';
import { formatDecision } from '../../../../policy/decisions/format-line.js';
import { readCollected } from './collected.js';

/** Options of {@link decisionsReporter}. */
export interface DecisionsReporterOptions {
  /** The file for the decisions, such as `decisions.jsonl`. Each run replaces it; missing folders are created. */
  readonly file: string;
}

/** The part of vitest that the reporter uses before a run. */
export interface ReportedVitest {
  /** The projects, with their settings. */
  readonly projects: readonly { readonly config: { readonly setupFiles: string[] } }[];
}

/** The part of a test file that the reporter uses after a run. */
export interface ReportedModule {
  /** The id of the file in its project; two projects may run the same file. */
  readonly id: string;
  /** The data that the worker has kept for reporters. */
  meta(): object;
}

/** A reporter for `reporters` of vitest's configuration. */
export interface DecisionsReporter {
  /** Adds the setup file that collects decisions in the workers. */
  onInit(vitest: ReportedVitest): void;
  /** Writes the log. */
  onTestRunEnd(modules: readonly ReportedModule[]): Promise<void>;
}

const readDecisionsReporterOptions = strictObject({ file: readName } satisfies ReadersOf<DecisionsReporterOptions>);

const rules = { service: undefined, withContext: false };

/**
 * Creates a reporter of vitest that writes each decision of the suite's mocks to a decision log. `arango-services
 * permissions tighten --log` makes the policy from it that the suite needs. In watch mode a file that runs again
 * replaces its decisions.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for invalid options.
 * @example
 * ```ts
 * import { decisionsReporter } from 'arango-services/mock/vitest';
 *
 * // of defineConfig({ test }) in vitest.config.ts
 * export const test = { reporters: ['default', decisionsReporter({ file: 'reports/decisions.jsonl' })] };
 * ```
 */
export function decisionsReporter(options: DecisionsReporterOptions): DecisionsReporter {
  const { file } = readFields(options, 'options', readDecisionsReporterOptions);
  const byModule = new Map<string, readonly MadeDecision[]>();
  return {
    onInit({ projects }) {
      const setup = fileURLToPath(import.meta.resolve('#vitest-setup'));
      for (const { config } of projects) config.setupFiles.push(setup);
    },
    async onTestRunEnd(modules) {
      for (const module of modules) byModule.set(module.id, readCollected(module.meta()));
      const time = new Date().toISOString();
      const lines = [...byModule.values()].flat().map((decision) => formatDecision(decision, time, rules, undefined));
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, lines.join(''));
    },
  };
}
