import { listOf, oneOf, optionsOf, type ReadersOf, readObject, withMethods } from '../../../../base/lib/readers.js';
import type { ServiceValidator } from '../../../kit/hosted/service-types.js';

/** Options of `playback`. */
export interface PlaybackOptions {
  /**
   * The parts of a request that must equal the recording's, besides method and path: the query in any order of names,
   * JSON bodies in any order of fields, multipart bodies by their parts. Default `['query', 'body']`.
   */
  readonly match?: readonly ('query' | 'body')[] | undefined;
  /**
   * With `recorded`, each request must match the next recording. With `any`, the first match that was not played yet
   * answers, and the last match again once all were; a match that sets fewer references goes first. Default `any`.
   */
  readonly order?: 'recorded' | 'any' | undefined;
  /** With `recorded`, chunks of streams wait as long as their recording did. Default `none`: they follow at once. */
  readonly timing?: 'recorded' | 'none' | undefined;
  /** The service's OpenAPI document, for `validate`. Default: none. */
  readonly document?: unknown;
  /** Checks each recording by the document before any is played: `openApiValidator()`. Default: nothing is checked. */
  readonly validate?: ServiceValidator | undefined;
}

export const readPlaybackOptions = optionsOf({
  match: listOf(oneOf('query', 'body')),
  order: oneOf('recorded', 'any'),
  timing: oneOf('recorded', 'none'),
  document: readObject,
  validate: withMethods<ServiceValidator>('a validator like openApiValidator()', 'wrap'),
} satisfies ReadersOf<PlaybackOptions>);
