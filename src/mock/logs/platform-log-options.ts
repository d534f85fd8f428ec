import { oneOf, optional, type Reader, type ReadersOf, readFunction, strictObject } from '../../base/lib/readers.js';
import { levels } from './zerolog.js';

/** Options of `mock.platformLog`. */
export interface PlatformLogOptions {
  /** Takes each line, with its line end, before the answer that it is about. What it throws is ignored. */
  readonly write: (line: string) => unknown;
  /** The format, which the services call `--log.format`. Default `pretty`, as theirs. */
  readonly format?: 'pretty' | 'json' | undefined;
  /** The least level of the lines, which the services call `--log.level`. Default `info`, as theirs. */
  readonly level?: 'debug' | 'info' | 'warn' | undefined;
}

const platformLogReaders = {
  write: readFunction as Reader<PlatformLogOptions['write']>,
  format: optional(oneOf('pretty', 'json'), 'pretty' as const),
  level: optional(oneOf(...levels), 'info' as const),
} satisfies ReadersOf<PlatformLogOptions>;
export const readPlatformLogOptions = strictObject(platformLogReaders);
