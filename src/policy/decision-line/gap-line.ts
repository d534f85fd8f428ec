/** A line for decisions that were dropped, because the log could not be written as fast as they were made. */
export interface GapLine {
  /** The version of the line's format. */
  readonly v: 1;
  /** The kind of line. */
  readonly kind: 'gap';
  /** The time at which the log could be written again (RFC 3339). */
  readonly time: string;
  /** The number of decisions that were dropped. */
  readonly dropped: number;
}
