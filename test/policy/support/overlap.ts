import { covers as coversSegments, overlaps as overlapSegments } from '../../../src/policy/model/overlap.ts';
import { parseSegments } from '../../../src/policy/model/pattern.ts';

/** True if `a` matches everything that `b` matches. */
export const covers = (a: string, b: string): boolean => coversSegments(parseSegments(a), parseSegments(b));

/** True if both match some text. */
export const overlaps = (a: string, b: string): boolean => overlapSegments(parseSegments(a), parseSegments(b));
