import { counted } from '../lib/counted.js';
import type { PartialComparison } from './compare.js';

/** The subjects whose access was too much to compare, in words; empty if all were compared. */
export const describeNotCompared = ({ notCompared = [], rolesNotCompared = [] }: PartialComparison): string =>
  [
    ...(notCompared.length > 0 ? [counted(notCompared.length, 'user')] : []),
    ...(rolesNotCompared.length > 0 ? [counted(rolesNotCompared.length, 'role')] : []),
  ].join(' and ');
