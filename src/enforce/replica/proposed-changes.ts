import { InvalidArgumentError } from '../../base/errors.js';
import { copyOf } from '../../base/lib/copy-of.js';
import {
  asGiven,
  listOf,
  oneOf,
  optional,
  type Reader,
  type ReadersOf,
  readArgument,
  readName,
  strictObject,
  transform,
} from '../../base/lib/readers.js';
import { formatPath } from '../../base/lib/text/paths.js';
import { isObject } from '../../base/lib/values.js';
import { heldBindings } from '../../policy/evaluate/held-bindings.js';
import {
  createEvaluator,
  type Evaluator,
  type Fidelity,
  type Policy,
  PolicyError,
  type Role,
} from '../../policy/index.js';

/**
 * A proposed change, as the `changes` of a plan of `arango-services/permissions` are: an item and its content
 * afterwards. The content of a binding is its scope; null deletes the item.
 */
export type ProposedChange =
  | {
      readonly kind: 'policy' | 'role';
      readonly name: string;
      readonly user?: undefined;
      readonly role?: undefined;
      readonly after: Policy | Role | null;
    }
  | {
      readonly kind: 'binding';
      readonly user: string;
      readonly role: string;
      readonly name?: undefined;
      readonly after: Policy | Role | null;
    }
  | {
      readonly kind: 'binding';
      readonly group: string;
      readonly role: string;
      readonly name?: undefined;
      readonly user?: undefined;
      readonly after: Policy | Role | null;
    };

/** The fields of a plan's change that say more than the proposal. */
type PlanFields = Record<'action' | 'reason' | 'outside' | 'before' | 'index', unknown>;

const changeFields = strictObject({
  kind: oneOf('policy', 'role', 'binding'),
  name: optional(readName),
  user: optional(readName),
  group: optional(readName),
  role: optional(readName),
  after: asGiven,
  action: asGiven,
  reason: asGiven,
  outside: asGiven,
  before: asGiven,
  index: asGiven,
} satisfies ReadersOf<Record<keyof ProposedChange | 'group', unknown> & PlanFields>);

/** Applies a proposed change to an evaluator. */
export type Apply = (evaluator: Evaluator) => void;

const readChange: Reader<Apply> = transform(
  changeFields,
  ({ kind, name, user, group, role, after }, reading): Apply => {
    const missing = (field: string, what: string): Apply => reading.at(field, undefined, () => reading.report(what));
    if (after !== null && !isObject(after)) return missing('after', 'expected the content, or null to delete the item');
    // A copy, because the change is applied again later.
    const copy = copyOf(after);
    if (copy === undefined) return missing('after', 'expected plain data');
    // The cast: the evaluator checks the content.
    const content = copy as (Policy & Role) | null;
    if (kind === 'binding') {
      const owner = user ?? group;
      if (owner === undefined || role === undefined)
        return missing('user', 'a binding needs a user or group, and a role');
      const held = heldBindings[user === undefined ? 'group' : 'user'];
      return content === null
        ? (to) => held.delete(to, owner, role)
        : (to) => held.set(to, { owner, role, scope: content });
    }
    if (name === undefined) return missing('name', `a ${kind} needs a name`);
    if (kind === 'policy') {
      return content === null ? (to) => void to.deletePolicy(name) : (to) => to.setPolicy(name, content);
    }
    return content === null ? (to) => void to.deleteRole(name) : (to) => to.setRole(name, content);
  },
);

const readChanges = listOf(readChange, 100_000);

/** Reads changes; throws InvalidArgumentError naming the change, also if the fidelity rejects its content. */
export function readProposedChanges(changes: unknown, fidelity: Fidelity): readonly Apply[] {
  const read = readArgument(changes, 'changes', readChanges);
  const trial = createEvaluator({}, { fidelity });
  for (const [i, apply] of read.entries()) {
    try {
      apply(trial);
    } catch (error) {
      if (!(error instanceof PolicyError)) throw error;
      const [issue] = error.issues;
      throw new InvalidArgumentError(`changes[${i}].after`, `${formatPath(issue?.path ?? [])}: ${issue?.message}`);
    }
  }
  return read;
}
