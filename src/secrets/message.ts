import { secretFilter } from './filter.js';
import { secretsOf } from './headers.js';

/**
 * Sanitizes a server's message for the status of a stream. It is omitted entirely if it quotes the header that opened
 * the stream, or any other token.
 */
export function showMessage(message: string, authorization?: string): string {
  const show = secretFilter(secretsOf(authorization === undefined ? {} : { authorization }), false);
  return (message.includes('eyJ') ? '' : show(message)) || 'message omitted: it may hold a token';
}
