import { createHash } from 'node:crypto';
import { readJsonFile } from '../../../base/lib/json-file.js';
import { jsonText } from '../../../base/lib/json-text.js';
import { stableJson } from '../../../base/lib/stable-json.js';
import { isPlainObject } from '../../../base/lib/values.js';
import type { Plan } from '../../../permissions/index.js';
import type { Inputs } from '../shared/inputs.js';
import { fileProblem } from '../shared/read-files.js';
import { UsageError } from '../shared/usage-error.js';
import type { Basis } from './basis.js';
import { writePrivate } from './write-file.js';

const format = 'arango-services plan 5';
const mostBytes = 200_000_000;

/** A plan with all that shows later if it may still be applied. Holds no secrets. */
export interface PlanContent {
  /** The URL of the deployment that the plan is for. */
  readonly url: string;
  /** The time at which the plan was made, in ISO 8601. */
  readonly madeAt: string;
  readonly plan: Plan;
  readonly basis: Basis;
  /** The users that have a binding after the plan. */
  readonly usersAfter: readonly string[];
  /** The groups that have a binding after the plan. */
  readonly groupsAfter: readonly string[];
  /** The file of the holds that the plan respects. */
  readonly holdsFile: string;
  /** A second file of holds: the one beside the file of permissions, if a flag named the first. */
  readonly holdsBeside?: string | undefined;
}

const digestOf = (content: object): string =>
  `sha256:${createHash('sha256').update(stableJson(content)).digest('hex')}`;

/** Saves a plan, readable by its owner only. Returns its digest. */
export async function savePlan(file: string, content: PlanContent): Promise<string> {
  // Through JSON, so that the digest is that of the content of the file.
  const saved: object = JSON.parse(JSON.stringify({ format, ...content }));
  const digest = digestOf(saved);
  await writePrivate(file, `${jsonText({ ...saved, digest }, 2)}\n`);
  return digest;
}

/** A plan that was read from a file, with its digest. */
export type SavedPlan = PlanContent & { readonly digest: string };

/**
 * Reads a saved plan.
 * @throws UsageError if the file is not a plan, and Error if it was changed since it was saved.
 */
export async function readSavedPlan(file: string, inputs: Inputs): Promise<SavedPlan> {
  const refuse = (message: string) => new UsageError({ where: file, message });
  let value: unknown;
  try {
    const bytes = await inputs.read('[plan.json]', file, mostBytes + 1);
    if (bytes.length > mostBytes) throw refuse(`holds more than ${mostBytes / 1_000_000} MB`);
    const reading = readJsonFile(file, new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    // A place is that of a duplicate key.
    if ('problem' in reading && reading.problem.where !== file) throw new UsageError(reading.problem);
    if ('problem' in reading) throw new SyntaxError();
    value = reading.value;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError)
      throw refuse('is not a saved plan (not valid JSON)');
    throw fileProblem(file, error);
  }
  if (!isPlainObject(value) || !('format' in value)) throw refuse('is not a saved plan: see plan --out');
  if (value.format !== format) throw refuse('was saved by another version of arango-services: make a new plan');
  const { digest, ...content } = value as { digest?: unknown };
  if (digest !== digestOf(content))
    throw new Error(`${file} was changed after it was saved: its digest does not match`);
  // The casts: the digest shows that the content is as it was saved.
  return { ...(content as unknown as PlanContent), digest: digest as string };
}
