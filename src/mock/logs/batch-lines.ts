import { isObject } from '../../base/lib/values.js';
import type { Platform } from '../platform.js';
import type { AskedItem, DecidedEvent } from '../wire/mock-events.js';
import type { Exchange } from '../wire/mock-exchange.js';
import { contextJson } from './context-json.js';
import type { Field, Log } from './zerolog.js';

const diagnostic = 'AUTHZ-EVAL-DIAG';

/** The number of bytes of a text in UTF-8. */
const bytesOf = (text: string): number => new TextEncoder().encode(text).byteLength;

/** The token and the items of a request, which the service has checked. */
function askedBy({ json }: Exchange): { readonly token: string; readonly items: readonly Partial<AskedItem>[] } {
  const { token, items } = isObject(json) ? json : {};
  // The cast: see above.
  return { token: String(token ?? ''), items: Array.isArray(items) ? (items as Partial<AskedItem>[]) : [] };
}

const subjectOf = ({ question: { subject } }: DecidedEvent): readonly Field[] => [
  ['user', subject.user ?? ''],
  ['roles', subject.roles],
];

/** The part of an answer of evaluate-token-many that its line holds. */
interface BatchAnswer {
  readonly effect: string;
  readonly message: string;
  readonly items: readonly { readonly effect: string; readonly message: string }[];
}

const hasToken = ({ request }: Exchange): boolean => request.path.endsWith('/evaluate-token-many');
const isBatch = ({ request }: Exchange): boolean => request.path.endsWith('-many');

/** Creates the log of batches, at level debug. Their arrival is logged with the first decision, or at the end. */
export function createBatchLog({ tokens }: Platform, log: Log) {
  const arrived = new WeakSet<Exchange>();
  const debug = (fields: readonly Field[], step: string): void => log('debug', fields, `${diagnostic} ${step}`);

  function arrive(exchange: Exchange, subject?: readonly Field[]): void {
    if (arrived.has(exchange)) return;
    arrived.add(exchange);
    const { token, items } = askedBy(exchange);
    debug(
      [
        ['token_len', bytesOf(token)],
        ['items', items.length],
      ],
      'EvaluateTokenMany entry',
    );
    if (subject === undefined) return;
    for (const [index, { action, resource, context }] of items.entries()) {
      const item: Field[] = [
        ['item', index],
        ['action', action ?? ''],
        ['resource', resource ?? ''],
      ];
      debug([...subject, ...item, ['context', { json: contextJson(context, false) }]], 'request item');
    }
  }

  function answered({ effect, message, items }: BatchAnswer, exchange: Exchange): void {
    const answers = items.flatMap((item, index): Field[] => [
      [`item_${index}_effect`, item.effect],
      [`item_${index}_message`, item.message],
    ]);
    debug([['user', exchange.user ?? ''], ['effect', effect], ['message', message], ...answers], 'response');
  }

  return {
    /** Before the lines of a decision. */
    before(event: DecidedEvent, exchange: Exchange): void {
      if (hasToken(exchange)) arrive(exchange, subjectOf(event));
    },
    /** After the lines of a decision. */
    after(event: DecidedEvent, exchange: Exchange): void {
      const { question, answer } = event;
      if (!isBatch(exchange) || answer === undefined) return;
      const item: Field[] = [
        ['action', question.action],
        ['resource', question.resource],
      ];
      const decided: Field[] = [
        ['effect', answer.effect],
        ['message', answer.message],
      ];
      debug([...subjectOf(event), ...item, ...decided], 'evaluate item');
    },
    /** After the answer to a batch. `body` is what the service answered. */
    end(status: number, body: Readonly<Record<string, unknown>>, exchange: Exchange): void {
      if (!hasToken(exchange)) return;
      const isRefused = status === 400 && body.code === 9;
      if (status !== 200 && !isRefused) return;
      arrive(exchange);
      // The cast: the service has made this answer.
      if (!isRefused) answered({ items: [], ...body } as unknown as BatchAnswer, exchange);
      else {
        // The answer does not hold the reason.
        void Promise.resolve(tokens.verify(askedBy(exchange).token)).then((verdict) => {
          if (!verdict.valid) debug([['message', verdict.reason]], 'token reported invalid');
        });
      }
    },
  };
}
