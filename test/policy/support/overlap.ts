import { covers as coversSegments, overlaps as overlapSegments } from '../../../src/policy/overlap.ts';
import { parseSegments } from '../../../src/policy/pattern.ts';

/** Does `a` match everything that `b` matches? */
export const covers = (a: string, b: string): boolean => coversSegments(parseSegments(a), parseSegments(b));

/** Is there a text that both match? */
export const overlaps = (a: string, b: string): boolean => overlapSegments(parseSegments(a), parseSegments(b));
