import type { CallInfo } from '../../base/arango-services-error.js';
import { ParseError, SchemaError } from '../../base/errors.js';
import { kindOf, readUpTo } from '../connection/response.js';
import type { TransportResponse } from '../connection/transport.js';

/** Longer responses are not decisions: a thousand items take about 60 kB. */
const mostBytes = 1_048_576;

/** Reads decisions as text: a status of 200 and JSON up to 1 MiB; throws SchemaError or ParseError otherwise. */
export async function readDecisionText(
  response: TransportResponse,
  callInfo: CallInfo,
  confidential: boolean,
): Promise<string> {
  const { status } = response;
  const bytes = await readUpTo(response, status === 200 ? mostBytes + 1 : 0);
  if (status !== 200 || bytes.length > mostBytes) {
    throw new SchemaError(callInfo, [{ path: [], message: `expected status 200 and at most ${mostBytes} bytes` }]);
  }
  const text = new TextDecoder().decode(bytes);
  if (kindOf(response) !== 'json') throw new ParseError(callInfo, status, confidential ? '' : text);
  return text;
}
