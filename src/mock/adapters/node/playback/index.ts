import { Buffer } from 'node:buffer';
import { nearest } from '../../../../lib/nearest.js';
import { expected, listOf, oneOf, optionsOf, type ReadersOf, readFields } from '../../../../lib/readers.js';
import { sleep } from '../../../../lib/wait.js';
import { operationMethods } from '../../../../openapi-document/methods.js';
import type { CustomResponse } from '../../../kit/custom-handler.js';
import type { ServiceHandler, ServiceRequest } from '../../../kit/hosted/types.js';
import type { Mock } from '../../../mock.js';
import { type Asked, askedOf, differingParts, type MatchedPart, recordedRequest } from './match.js';
import { type Chunk, type Recording, readRecordings } from './recording.js';

/** Options of `playback`. */
export interface PlaybackOptions {
  /**
   * The parts of a request that must equal the recording's, besides method and path: the query in any order of names,
   * JSON bodies in any order of fields. Default `['query', 'body']`.
   */
  readonly match?: readonly ('query' | 'body')[] | undefined;
  /**
   * With `recorded`, each request must match the next recording. With `any`, the first match that was not played yet
   * answers, and the last match again once all were. Default `any`.
   */
  readonly order?: 'recorded' | 'any' | undefined;
  /** With `recorded`, chunks of streams wait as long as their recording did. Default `none`: they follow at once. */
  readonly timing?: 'recorded' | 'none' | undefined;
}

/** Recordings that answer the requests of a service. */
export interface Playback {
  /** The files of the recordings that have not answered yet, in their order. */
  readonly unplayed: readonly string[];
  /**
   * Call it at the end of a test.
   * @throws Error listing the requests that no recording matched, each with the nearest recording and what differs.
   */
  check(): void;
  /** Removes the service. */
  remove(): void;
}

export const readPlaybackOptions = optionsOf({
  match: listOf(oneOf('query', 'body')),
  order: oneOf('recorded', 'any'),
  timing: oneOf('recorded', 'none'),
} satisfies ReadersOf<PlaybackOptions>);

async function* playChunks(
  chunks: readonly Chunk[],
  isTimed: boolean,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  for (const { afterMs, text = '', base64 } of chunks) {
    if (isTimed && afterMs > 0) await sleep(afterMs, { signal });
    if (signal.aborted) return;
    yield base64 === undefined ? Buffer.from(text) : Buffer.from(base64, 'base64');
  }
}

/** Chunks whose reader need not wait for the next one to cancel. */
function chunkStream(chunks: readonly Chunk[], isTimed: boolean): AsyncIterable<Uint8Array> {
  const stop = new AbortController();
  const played = playChunks(chunks, isTimed, stop.signal);
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => played.next(),
      return: () => {
        stop.abort();
        return played.return(undefined);
      },
    }),
  };
}

function answerOf({ response }: Recording, isTimed: boolean): CustomResponse {
  const { status, headers, json, text, base64, chunks } = response;
  if (chunks !== undefined) return { status, headers, body: chunkStream(chunks, isTimed) };
  // Text as bytes: without a recorded content type, the response has none.
  const sent = json === undefined ? Buffer.from(base64 ?? text ?? '', base64 === undefined ? 'utf8' : 'base64') : json;
  return { status, headers, body: json === undefined && text === undefined && base64 === undefined ? undefined : sent };
}

interface Candidate {
  readonly recording: Recording;
  readonly recorded: Asked;
  played: boolean;
}

/** The recording with the fewest differing parts; of several, the one with the most similar path. */
function describeNearest(asked: Asked, candidates: readonly Candidate[], parts: readonly MatchedPart[]): string {
  const differing = candidates.map((one) => ({ one, names: differingParts(asked, one.recorded, parts) }));
  const fewest = Math.min(...differing.map(({ names }) => names.length));
  const best = differing.filter(({ names }) => names.length === fewest);
  const path = nearest(
    asked.path,
    best.map(({ one }) => one.recorded.path),
    Number.POSITIVE_INFINITY,
  );
  const found = best.find(({ one }) => one.recorded.path === path);
  if (found === undefined) return 'no recording is left';
  const { file, method, path: at } = found.one.recording;
  return `the nearest recording is ${file} (${method} ${at}), which differs in ${found.names.join(' and ')}`;
}

/**
 * Answers the requests of a service from recordings: a folder of JSON files, each with `method`, `path` (below the
 * service), `query`, `request` and `response`. A body is one field: `json`, `text` or `base64`; a streamed response has
 * `chunks` instead (`{ afterMs, text }` or `base64`). Requests that no recording matches are answered with 501.
 * @param name the service, as in `mock.service`
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the option, or the file and the field, that is not
 * valid, and for a service that has handlers of its own already.
 * @example
 * ```ts
 * import { createMock } from 'arango-services/mock';
 * import { playback } from 'arango-services/mock/node';
 *
 * await using mock = await createMock();
 * const orders = await playback(mock, 'orders', 'test/recordings/orders');
 * // Call the application, then:
 * orders.check();
 * ```
 */
export async function playback(
  mock: Mock,
  name: string,
  folder: string,
  options: PlaybackOptions = {},
): Promise<Playback> {
  const read = readFields(options, 'options', readPlaybackOptions);
  const { match: parts = ['query', 'body'], order = 'any', timing = 'none' } = read;
  if (typeof folder !== 'string' || folder === '') throw expected('folder', 'the path of a folder', folder);
  const candidates: Candidate[] = (await readRecordings(folder)).map((recording) => ({
    recording,
    recorded: recordedRequest(recording),
    played: false,
  }));
  const unmatched: string[] = [];

  function find(asked: Asked): Candidate | undefined {
    const left = candidates.filter(({ played }) => !played);
    const matches = (one: Candidate) => differingParts(asked, one.recorded, parts).length === 0;
    if (order === 'recorded') return left.slice(0, 1).find(matches);
    return left.find(matches) ?? candidates.findLast(matches);
  }

  const handler: ServiceHandler = (request: ServiceRequest) => {
    const asked = askedOf(request);
    const found = find(asked);
    if (found !== undefined) {
      found.played = true;
      return answerOf(found.recording, timing === 'recorded');
    }
    const left = order === 'recorded' ? candidates.filter(({ played }) => !played).slice(0, 1) : candidates;
    const problem = `${asked.method} ${asked.path}: ${describeNearest(asked, left, parts)}`;
    unmatched.push(problem);
    return { status: 501, body: { detail: `playback: ${problem}` } };
  };
  const handlers = Object.fromEntries(operationMethods.map((method) => [method, handler]));
  // The gateway's router finds no empty rest of a path.
  const remove = mock.service(name, { '/': handlers, '/*': handlers });
  return {
    get unplayed() {
      return candidates.flatMap(({ played, recording }) => (played ? [] : [recording.file]));
    },
    check() {
      if (unmatched.length > 0) throw new Error(`requests without a recording:\n  ${unmatched.join('\n  ')}`);
    },
    remove,
  };
}
