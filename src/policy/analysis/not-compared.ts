import { counted } from '../../base/lib/counted.js';
import type { PartialComparison } from './compare-partly.js';

/** Describes the subjects that were not compared because `maxWork` did not suffice; empty if there are none. */
export const describeNotCompared = ({ notCompared = [], rolesNotCompared = [] }: PartialComparison): string =>
  [
    ...(notCompared.length > 0 ? [counted(notCompared.length, 'user')] : []),
    ...(rolesNotCompared.length > 0 ? [counted(rolesNotCompared.length, 'role')] : []),
  ].join(' and ');
