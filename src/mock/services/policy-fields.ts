import { type Policy, type Role, validatePolicy, validateRole } from '../../policy/index.js';
import { describeShapes } from '../../policy/model/shape.js';
import type { FidelityRules } from '../fidelity-rules.js';
import { toWirePolicy, toWireRole, type WirePolicy, type WireRole } from '../state/wire-items.js';
import type { GrpcCode } from '../wire/http.js';
import { isInt32, list, message, text, texts, wrong } from '../wire/protobuf-json.js';
import { refuseCounted, refuseNamed } from './policy-faults.js';

// Readers of policies and roles for the management API.

type FieldReader = (value: unknown, field: string) => unknown;

/** Reads an effect by name or number. A missing one is Deny; an invalid one is Deny, or refused with the content. */
function readEffect(value: unknown, field: string, refusesOddEffects: boolean): unknown {
  if (value === undefined || value === null || value === 0) return 'Deny';
  if (value === 1) return 'Allow';
  if (typeof value === 'string') return value === 'Allow' || refusesOddEffects ? value : 'Deny';
  if (isInt32(value)) return value;
  throw wrong(field, '"Allow" or "Deny"', value);
}

/** Readers that check types only: a missing list is empty, a missing text is "", as in protobuf JSON. */
const createReaders = (refusesOddEffects: boolean) =>
  describeShapes<FieldReader>({
    effect: (value, field) => readEffect(value, field, refusesOddEffects),
    action: text,
    resource: text,
    name: text,
    description: text,
    object: (fields) => (value, field) => {
      const values = message(value, field);
      const entries = Object.entries(fields).map(([name, read]) => [name, read(values[name], `${field}.${name}`)]);
      return Object.fromEntries(entries);
    },
    list: (read) => (value, field) => list(value, field, read),
    texts: () => texts,
    nullish: (read) => (value, field) => (value === undefined || value === null ? null : read(value, field)),
  });

const strictReaders = /* @__PURE__ */ createReaders(true);
const lenientReaders = /* @__PURE__ */ createReaders(false);

const readersFor = ({ refusesOddEffects }: FidelityRules) => (refusesOddEffects ? strictReaders : lenientReaders);

/** Reads a policy in `item` or `scope`: types now, content on call. `code` is for refusals with nested counts. */
export function readPolicyField(
  value: unknown,
  field: string,
  fidelity: FidelityRules,
  code: GrpcCode,
): (() => WirePolicy) | undefined {
  // The cast: the reader returns the fields of a policy; its effects are checked with its content.
  const policy = readersFor(fidelity).scope(value, field) as Policy | null;
  if (policy === null) return undefined;
  return () => {
    if (fidelity.namesFaults) refuseNamed(validatePolicy(policy), field);
    else refuseCounted(policy, code);
    return toWirePolicy(policy);
  };
}

/** Reads the role in `item` like `readPolicyField`: types now, content on call. */
export function readRoleField(value: unknown, field: string, fidelity: FidelityRules): (() => WireRole) | undefined {
  if (value === undefined || value === null) return undefined;
  // The cast: as above.
  const role = readersFor(fidelity).role(value, field) as Role;
  return () => {
    if (fidelity.namesFaults) refuseNamed(validateRole(role), field);
    else if (role.scope != null) refuseCounted(role.scope, 13);
    return toWireRole(role);
  };
}
