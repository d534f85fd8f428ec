import { type CallInfo, ParseError } from '../../base/errors.js';
import { wholeNumber } from '../../base/lib/readers.js';
import { withBytes } from './fetch-transport.js';
import { readUpTo } from './response.js';
import type { TransportResponse } from './transport.js';

/** Reads a limit of a response body. */
export const maxBytesOption = wholeNumber('a whole number of bytes', 0, Number.MAX_SAFE_INTEGER);

/** Creates the error for a longer body. */
export const tooLong = (callInfo: CallInfo, status: number, maxBytes: number): ParseError =>
  new ParseError(callInfo, status, '', { problem: `answered with a body of more than ${maxBytes} bytes (maxBytes)` });

/**
 * Reads a body of at most this many bytes, decompressed, and returns a response with it.
 * @throws ParseError for a longer one, of which the rest is not read.
 */
export async function readLimited(
  response: TransportResponse,
  maxBytes: number,
  callInfo: CallInfo,
): Promise<TransportResponse> {
  const bytes = await readUpTo(response, maxBytes + 1);
  if (bytes.length > maxBytes) throw tooLong(callInfo, response.status, maxBytes);
  // The casts: the bytes of a response are never shared, and headers of a transport are iterable.
  return withBytes(new Response(bytes as BodyInit, { headers: response.headers as unknown as HeadersInit }));
}
