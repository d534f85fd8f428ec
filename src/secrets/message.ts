import { secretFilter } from './filter.js';
import { secretsOf } from './headers.js';

/**
 * A message of a server without secrets, for the status of a stream. It is left out whole if it quotes the header that
 * the stream was opened with, or any other token.
 */
export function showMessage(message: string, authorization?: string): string {
  const show = secretFilter(secretsOf(authorization === undefined ? {} : { authorization }), false);
  return (message.includes('eyJ') ? '' : show(message)) || 'the message is left out, because it may hold a token';
}
