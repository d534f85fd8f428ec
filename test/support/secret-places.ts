import { expect } from 'vitest';
import { type CallEvent, type Client, type Credentials, createClient, credentials } from '../../src/index.ts';
import { encodings } from './secret-encodings.ts';

const secrets = [
  'Correct Horse  battery',
  'pä$$wörd-Ünï canary',
  'Straße+und/Weg 12',
  'пароль-canary-ключ',
  'plainPassword',
  'İstanbul-0123',
  'ab 12 cd_34',
  '😀-canary-😀',
  'città-è-vuota',
];
/** Changes that a server may make to a quoted password. */
const changes: Readonly<Record<string, (secret: string) => string>> = {
  none: (s) => s,
  'upper case': (s) => s.toUpperCase(),
  'lower case': (s) => s.toLowerCase(),
  'white space doubled': (s) => s.replaceAll(' ', '  '),
  'white space collapsed': (s) => s.replace(/\s+/g, ' '),
  'other white space': (s) => s.replaceAll(' ', '\u00a0\u2003'),
  'a ? for each character': (s) => s.replace(/[^\0-\x7f]/gu, '?'),
  'a ? for each unit': (s) => s.replace(/[^\0-\x7f]/g, '?'),
  'U+FFFD for each character': (s) => s.replace(/[^\0-\x7f]/gu, '\ufffd'),
  'U+FFFD for each byte': (s) => s.replace(/[^\0-\x7f]/gu, (char) => '\ufffd'.repeat(Buffer.byteLength(char))),
  'Latin-1 for UTF-8': (s) => Buffer.from(s).toString('latin1'),
  'another composition': (s) => s.normalize('NFD'),
  'the first 8 characters': (s) => s.slice(0, 8),
  'the first 9, in another case': (s) => s.slice(0, 9).toUpperCase(),
  'the first 12 and three dots': (s) => `${s.slice(0, 12)}...`,
};
/** A server encodes the received value, or a part of it, but not an altered one. */
const isCut = (change: string) => change === 'none' || change === 'the first 8 characters';
const writings = Object.entries(encodings);

/** A response with texts that `Response` would reject, as a transport may return it. */
const answer = (status: number, { statusText = '', headers = {} }: { statusText?: string; headers?: object }) =>
  Object.defineProperties(new Response(null, { status }), {
    statusText: { value: statusText },
    headers: { value: new Map(Object.entries(headers)) },
  });
const json = (status: number, body: object) => Response.json(body, { status });
/** Places where a server, or an intermediary, can put a text. */
export const places: Readonly<Record<string, (text: string) => Response>> = {
  'message of a service': (text) => json(403, { code: 7, message: `no access for ${text}!`, details: [] }),
  'message of the database': (text) => json(401, { error: true, code: 401, errorNum: 11, errorMessage: text }),
  'problem details': (text) => json(422, { title: 'bad', detail: `got "${text}"` }),
  statusText: (text) => answer(500, { statusText: `bad ${text}` }),
  'request id': (text) => answer(500, { headers: { 'x-request-id': `id-${text}` } }),
  'request id of a good answer': (text) => answer(204, { headers: { 'x-request-id': text } }),
  'host of a redirect': (text) => answer(302, { headers: { location: `http://${text}.test/` } }),
  'path of a redirect': (text) => answer(302, { headers: { location: `http://b.test/x/${text}` } }),
  'failure of fetch': (text) => {
    throw new TypeError(`cannot send ${text}`);
  },
};

type Call = (client: Client) => Promise<unknown>;

/** Creates a function that returns the loggable text of a call whose server puts a text in a place. */
export function createProbe(call: Call, given?: Credentials) {
  let reply: () => Response = () => expect.fail();
  const events: CallEvent[] = [];
  const observe = (event: CallEvent) => void events.push(event);
  const options = { url: 'http://service.test', retry: 0, credentials: given, fetch: async () => reply(), observe };
  const client = createClient(options);
  return async (place: string, text: string) => {
    reply = () => places[place]?.(text) ?? expect.fail();
    const outcome = await call(client).catch((error: unknown) => error);
    const { message, location, requestId, reason } = Object(outcome);
    const error = outcome instanceof Error ? [message, location, requestId, reason, JSON.stringify(outcome)] : [];
    return [...error, JSON.stringify(events.splice(0))].join('\n');
  };
}

const flat = (text: string) => text.replace(/\s+/g, ' ').trim();
export const tells = (shown: string, text: string) =>
  flat(shown).includes(flat(text)) || flat(shown).includes(flat(encodeURIComponent(text)));

/** Places of a value in a call, as received by the server. */
const sources: Readonly<Record<string, (value: string) => object>> = {
  'a query': (value) => ({ qs: { limit: 5, q: [value, 'x'] } }),
  'a query that is text': (value) => ({ qs: `limit=5&q=${encodeURIComponent(value)}` }),
  'the query of a path': (value) => ({ path: `x?q=${encodeURIComponent(value)}` }),
  'a field of JSON': (value) => ({ method: 'POST', body: { user: { name: value, age: 7 } } }),
  'an item of JSON': (value) => ({ method: 'PUT', body: { list: ['a', [value]] } }),
  'JSON that is text': (value) => ({ method: 'POST', body: JSON.stringify(value) }),
  'a body that is text': (value) => ({ method: 'POST', body: value }),
  'a form': (value) => ({ method: 'POST', body: new URLSearchParams([['q', value]]) }),
};

/** Fails for a combination that reveals the secret; runs each `every`-th one. */
export async function tryPasswords(every: number): Promise<number> {
  let combinations = 0;
  for (const secret of secrets) {
    const shownOf = createProbe((client) => client.route('orders').get(), credentials.basic('alice', secret));
    for (const [change, changed] of Object.entries(changes)) {
      for (const [writing, write] of writings) {
        if (writing.startsWith('base64') && !isCut(change)) continue;
        const text = write(changed(secret));
        for (const place of Object.keys(places)) {
          if (++combinations % every !== 0) continue;
          const shown = await shownOf(place, text);
          if (tells(shown, text) || tells(shown, secret)) expect.fail(`${secret}, ${change}, ${writing}, ${place}`);
        }
      }
    }
  }
  return Math.floor(combinations / every);
}

/** The same for values of query and body. */
export async function tryValues(every: number): Promise<number> {
  let combinations = 0;
  for (const value of secrets) {
    for (const [source, options] of Object.entries(sources)) {
      const shownOf = createProbe((client) => client.route('orders').request(options(value)));
      for (const [writing, write] of writings) {
        const text = write(value);
        for (const place of Object.keys(places)) {
          if (++combinations % every !== 0) continue;
          const shown = await shownOf(place, text);
          // A body may be large, so the id of a success is not searched for its values.
          if (place === 'request id of a good answer' && 'body' in options(value)) continue;
          if (tells(shown, text)) expect.fail(`${value}, ${source}, ${writing}, ${place}: ${shown}`);
        }
      }
    }
  }
  return Math.floor(combinations / every);
}
