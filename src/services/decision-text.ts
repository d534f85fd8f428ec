import { quietly } from '../connection/failure.js';
import { kindOf, readUpTo } from '../connection/response.js';
import type { TransportResponse } from '../connection/transport.js';
import { type CallInfo, ParseError, SchemaError } from '../errors.js';

/** Longer answers are not decisions: a thousand items take about 60 kB. */
const mostBytes = 1_048_576;

/**
 * The text of an answer that decides something: status 200 and JSON of at most 1 MiB.
 * @throws SchemaError for another status and a longer body, ParseError for another type.
 */
export async function readDecisionText(
  response: TransportResponse,
  callInfo: CallInfo,
  confidential: boolean,
): Promise<string> {
  const { status } = response;
  const refuse = (message: string) => {
    // Gives the connection back.
    quietly(() => response.body?.cancel());
    return new SchemaError(callInfo, [{ path: [], message }]);
  };
  if (status !== 200) throw refuse(`expected status 200, got ${status}`);
  const text = await readTextUpTo(mostBytes, response);
  if (text === undefined) throw refuse(`is longer than ${mostBytes} bytes`);
  if (kindOf(response) !== 'json') throw new ParseError(callInfo, status, confidential ? '' : text);
  return text;
}

/** The text of a body; undefined if it is longer. */
async function readTextUpTo(most: number, response: TransportResponse): Promise<string | undefined> {
  const { headers, type } = response;
  const length = headers.get('content-length');
  if (Number(length) > most) return undefined;
  // The platform ends the body at this length, unless it is compressed. A page is not told that of other origins, and a
  // caller's own `fetch` may give any length.
  if (length && type === 'basic' && !headers.get('content-encoding')) return response.text();
  const bytes = await readUpTo(response.body, most + 1);
  return bytes.length > most ? undefined : new TextDecoder().decode(bytes);
}
