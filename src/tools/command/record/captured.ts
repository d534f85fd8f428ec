import type { Header } from '../../../mock/forward/forwarded-headers.js';

/** A piece of a body, and its time since the piece before. */
export type Piece = { readonly afterMs: number; readonly bytes: Buffer };

/** A complete exchange. */
export interface Captured {
  readonly method: string;
  /** The path as it was sent. */
  readonly path: string;
  readonly query: string;
  readonly request: { readonly headers: readonly Header[]; readonly body: Buffer };
  readonly response: {
    readonly status: number;
    readonly headers: readonly Header[];
    readonly body: Buffer;
    /** The pieces of the body; of a body that was encoded, the whole as one piece. */
    readonly pieces: readonly Piece[];
  };
}

/** The value of a header that is sent once; empty if it is missing. */
export const headerOf = (headers: readonly Header[], name: string): string =>
  headers.find(([header]) => header === name)?.[1] ?? '';
