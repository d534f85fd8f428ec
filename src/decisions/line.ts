export type * from '../decision-line/line.js';
