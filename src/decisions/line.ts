export type * from '../decision-line/gap-line.js';
export type * from '../decision-line/line.js';
