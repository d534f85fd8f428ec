/// <reference lib="esnext.disposable" preserve="true" />

import { InvalidArgumentError } from '../../../../base/errors.js';
import { nearest } from '../../../../base/lib/nearest.js';
import { expected, readFields } from '../../../../base/lib/readers.js';
import { operationMethods } from '../../../../base/openapi-document/methods.js';
import { hideSecrets } from '../../../../base/secrets/known-secrets.js';
import { looksSecret, redactText } from '../../../../base/secrets/redact.js';
import type { ServiceHandler, ServiceRequest } from '../../../kit/hosted/service-types.js';
import type { Mock } from '../../../mock.js';
import { isJson } from '../../../openapi/media.js';
import {
  type AskedRequest,
  differences,
  formatDifference,
  type MatchedPart,
  plainBody,
  type RequestDifference,
} from '../../../recordings/match-recording.js';
import type { Recording } from '../../../recordings/recording-format.js';
import { Bindings } from '../../../recordings/references.js';
import { decodeSegment } from '../../../wire/path-rules.js';
import { checkRecordings } from './check-document.js';
import { type PlaybackOptions, readPlaybackOptions } from './playback-options.js';
import { readFolder } from './read-folder.js';
import { answerOf } from './recorded-answer.js';

export type { PlaybackOptions } from './playback-options.js';

/** Recordings that answer the requests of a service. */
export interface Playback extends Disposable {
  /** The files of the recordings that have not answered yet, in their order. */
  readonly unplayed: readonly string[];
  /**
   * Call it at the end of a test, or declare the playback with `using`, which calls it and `remove`.
   * @throws Error listing the requests that no recording matched, each with the nearest recording and what differs.
   */
  check(): void;
  /** Removes the service. */
  remove(): void;
}

type Candidate = { readonly recording: Recording; played: boolean };

/** A request as recordings are compared with it. The mock has parsed its JSON, which is compared by its values. */
function askedOf({ request, body }: ServiceRequest): AskedRequest {
  const { method, path, query, headers } = request;
  const contentType = headers.get('content-type') ?? '';
  const isText = typeof body === 'string' && !isJson(contentType);
  const bytes = ArrayBuffer.isView(body)
    ? Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    : Buffer.from(body === undefined ? '' : isText ? body : JSON.stringify(body));
  return { method, path, query, contentType, body: plainBody(bytes, headers.get('content-encoding') ?? undefined) };
}

/** The recording with the fewest differing parts; of several, the one with the most similar path. */
function describeNearest(
  request: AskedRequest,
  candidates: readonly Candidate[],
  compare: (candidate: Candidate) => readonly RequestDifference[],
): string {
  const differing = candidates.map((candidate) => ({ ...candidate.recording, parts: compare(candidate) }));
  const fewest = Math.min(...differing.map(({ parts }) => parts.length));
  const best = differing.filter(({ parts }) => parts.length === fewest);
  const paths = best.map(({ path }) => path);
  const path = nearest(request.path, paths, Number.POSITIVE_INFINITY);
  const recording = best.find((candidate) => candidate.path === path);
  if (recording === undefined) return 'no recording is left';
  const { file, method, path: at } = recording;
  const parts = recording.parts.map(formatDifference).join(' and ');
  return `the nearest recording is ${file} (${method} ${at}), which differs in ${parts}`;
}

/** The path of a request for a message, without segments that look like keys. */
const shownPath = (path: string): string =>
  redactText(path)
    .split('/')
    .map((segment) => (looksSecret(decodeSegment(segment)) ? '…' : segment))
    .join('/');

/** Reads and checks the recordings of a folder. */
async function readCandidates(folder: string, { document, validate }: PlaybackOptions): Promise<Candidate[]> {
  const recordings = await readFolder(folder);
  if (recordings.length === 0)
    throw new InvalidArgumentError('folder', 'has no recordings: expected files named *.json');
  if (validate !== undefined) await checkRecordings(recordings, document, validate);
  return recordings.map((recording) => ({ recording, played: false }));
}

/**
 * Answers the requests of a service from recordings: a folder of JSON files as `arango-services record` writes them,
 * each with `method`, `path` (below the service), `query`, `request` and `response`. A body is one field: `json`,
 * `text` or `base64`, of a request also `parts` (multipart); a streamed response has `chunks` instead
 * (`{ afterMs, text }` or `base64`). A reference like `<uuid:1>` stands for one value in all files: the first request
 * that matches it sets the value. Requests that no recording matches are answered with 501.
 * @param name the service, as in `mock.service`
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) naming the option, or the file and the field, that is not
 * valid, and for a service that has handlers of its own already.
 * @example
 * ```ts
 * import { createMock } from 'arango-services/mock';
 * import { playback } from 'arango-services/mock/node';
 *
 * await using mock = await createMock();
 * const orders = await playback(mock, 'orders', 'test/mock/recordings/orders');
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
  const { match: parts = ['query', 'body'] as readonly MatchedPart[], order = 'any', timing = 'none' } = read;
  if (typeof folder !== 'string' || folder === '') throw expected('folder', 'the path of a folder', folder);
  const candidates = await readCandidates(folder, read);
  const unmatched: string[] = [];
  let bindings = new Bindings();

  /** Compares with the values that references have already. */
  function compare(request: AskedRequest, { recording }: Candidate) {
    const trial = new Bindings(bindings);
    return { differing: differences(request, recording, parts, trial), trial };
  }
  const left = (): Candidate[] => {
    const all = candidates.filter(({ played }) => !played);
    return order === 'recorded' ? all.slice(0, 1) : all;
  };

  function find(request: AskedRequest): Candidate | undefined {
    const again = order === 'recorded' ? [] : candidates.filter(({ played }) => played).reverse();
    let best: { readonly one: Candidate; readonly trial: Bindings } | undefined;
    for (const candidate of [...left(), ...again]) {
      if (candidate.recording.method !== request.method) continue;
      const { differing, trial } = compare(request, candidate);
      // `/orders/count` matches `/orders/<uuid:1>`, too: the recording that sets the fewest references is the nearest.
      if (differing.length > 0 || (best !== undefined && best.trial.size <= trial.size)) continue;
      best = { one: candidate, trial };
      if (trial.size === bindings.size) break;
    }
    bindings = best?.trial ?? bindings;
    return best?.one;
  }

  const handler: ServiceHandler = (request: ServiceRequest) => {
    const asked = askedOf(request);
    const candidate = find(asked);
    if (candidate !== undefined) {
      candidate.played = true;
      return answerOf(candidate.recording, timing === 'recorded', bindings);
    }
    const near = order === 'recorded' ? left() : candidates;
    const about = describeNearest(asked, near, (recorded) => compare(asked, recorded).differing);
    const secrets = Array.from(bindings.entries).flatMap(([name, value]) => (name.startsWith('<token:') ? value : []));
    const hide = hideSecrets(secrets);
    const problem = `${asked.method} ${hide(shownPath(asked.path), '')}: ${hide(about, '')}`;
    unmatched.push(problem);
    return { status: 501, body: { detail: `playback: ${problem}` } };
  };
  const check = (): void => {
    if (unmatched.length > 0) throw new Error(`requests without a recording:\n  ${unmatched.join('\n  ')}`);
  };
  const handlers = Object.fromEntries(operationMethods.map((method) => [method, handler]));
  // The gateway's router finds no empty rest of a path.
  const remove = mock.service(name, { '/': handlers, '/*': handlers });
  return {
    get unplayed() {
      return candidates.flatMap(({ played, recording }) => (played ? [] : [recording.file]));
    },
    check,
    remove,
    [Symbol.dispose]() {
      remove();
      check();
    },
  };
}
