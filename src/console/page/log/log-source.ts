import { readChunks } from '../ui/read-chunks.js';

/** A log that can be opened. */
export interface LogSource {
  readonly name: string;
  /** The bytes of the log; 0 if unknown. */
  readonly size: number;
  /** Reads the log from its beginning. */
  read(signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** A file that was chosen or dropped. It is read in this tab. */
export const fileSource = (file: Blob & { readonly name: string }): LogSource => ({
  name: file.name,
  size: file.size,
  read: () => readChunks(file.stream()),
});
