import { type ClientOptions, createClient } from '../../../src/index.ts';

/** One request as a client sent it. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Headers;
  readonly body: unknown;
}

/** A client whose requests are recorded, and answered by a function. */
export function clientOver(answer: (sent: Sent) => unknown, options: Partial<ClientOptions> = {}) {
  const sent: Sent[] = [];
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    init.signal?.throwIfAborted();
    const { pathname, search } = new URL(url);
    const body: unknown = init.body === undefined ? undefined : JSON.parse(String(init.body));
    const one = {
      method: String(init.method),
      path: pathname,
      query: search,
      headers: new Headers(init.headers),
      body,
    };
    sent.push(one);
    const said = await answer(one);
    return said instanceof Response ? said : Response.json(said);
  };
  return { sent, client: createClient({ url: 'http://service.test', retry: 0, fetch, ...options }) };
}
