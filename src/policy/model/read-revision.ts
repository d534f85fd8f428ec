import type { Reader } from '../../base/lib/readers.js';

/** A write: its place in the history of its kind, and a digest of what was written. */
export interface Write {
  readonly kind: 'policies' | 'roles' | 'bindings' | 'groupBindings';
  /** The services' count of the writes of this kind. */
  readonly index: number;
  readonly digest: string;
}

const kinds = new Map([
  ['policy', 'policies'],
  ['role', 'roles'],
  ['binding', 'bindings'],
  ['groupBinding', 'groupBindings'],
] as const);

// An index has at most 15 digits, so that it is exact.
const form = /^v1\.(policy|role|binding|groupBinding)\.([1-9]\d{0,14})\.(-?[\da-z]{1,7})$/;

/** Reads a revision. The text may come from another process, so it is never quoted. */
export const readRevision: Reader<Write> = (value, reading) => {
  const [, name, index, digest = ''] = (typeof value === 'string' && form.exec(value)) || [];
  // The cast: the pattern names the kinds.
  const kind = kinds.get(name as 'policy');
  return kind
    ? { kind, index: Number(index), digest }
    : reading.report('expected the revision of a write, like "v1.policy.41.k3f9zz"');
};
