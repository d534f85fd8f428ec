import { Database } from 'arangojs';
import ky from 'ky';
import { Pool } from 'undici';
import { createClient } from '../../dist/index.js';
import { nodeTransport } from '../../dist/node/index.js';
import { payload } from './payload.ts';

type Call = () => Promise<unknown>;

/** One way to send the requests of this benchmark. */
export interface Client {
  readonly name: string;
  readonly get: Call;
  readonly post: Call;
}

const json = { 'content-type': 'application/json' };
const path = '/_db/_system/orders/open';

/** The baseline of every ratio. */
export function rawFetch(origin: string): Client {
  const url = origin + path;
  return {
    name: 'raw fetch',
    get: async () => (await fetch(url)).json(),
    post: async () => (await fetch(url, { method: 'POST', headers: json, body: JSON.stringify(payload) })).json(),
  };
}

/** The contenders by their names, and how their connections are closed. */
export function createContenders(origin: string) {
  const url = origin + path;
  const arangojs = new Database({ url: origin }).route('orders');
  const pool = new Pool(origin);
  const overKy = createClient({ url: origin });
  // The transport that the condition `without-ky` selects in a bundle.
  const overFetch = createClient({
    url: origin,
    transport: { send: (url, request) => fetch(url, request) },
  });
  const overNode = createClient({ url: origin, transport: nodeTransport() });
  const ofRoute = (name: string, client: typeof overKy, timeout = 0): Client => {
    const route = client.route('orders').with({ timeout });
    return {
      name,
      get: async () => (await route.get('open')).body,
      post: async () => (await route.post('open', payload)).body,
    };
  };
  const request = async (options: { readonly method: 'GET' | 'POST'; readonly body?: string }) =>
    (await pool.request({ path, headers: json, ...options })).body.json();
  /** ky with its retries, timeout and error throwing off around raw fetch: the least that a call through it costs. */
  const throughKy = async (send: () => Promise<Response>) =>
    (await ky(url, { retry: 0, timeout: false, throwHttpErrors: false, fetch: send })).json();
  return {
    clients: {
      ky: { name: 'ky', get: () => ky.get(url).json(), post: () => ky.post(url, { json: payload }).json() },
      arangojs: {
        name: 'arangojs',
        get: async () => (await arangojs.get('open')).parsedBody,
        post: async () => (await arangojs.post('open', payload)).parsedBody,
      },
      emptyKy: {
        name: 'ky, switched off',
        get: () => throughKy(() => fetch(url)),
        post: () => throughKy(() => fetch(url, { method: 'POST', headers: json, body: JSON.stringify(payload) })),
      },
      route: ofRoute('Route', overKy),
      routeWithoutKy: ofRoute('Route, without ky', overFetch),
      routeTimed: ofRoute('Route, timeout', overKy, 30_000),
      undici: {
        name: 'undici.request',
        get: () => request({ method: 'GET' }),
        post: () => request({ method: 'POST', body: JSON.stringify(payload) }),
      },
      node: ofRoute('Route, nodeTransport', overNode),
      nodeTimed: ofRoute('Route, nodeTransport, timeout', overNode, 30_000),
    } satisfies Record<string, Client>,
    close: async () => {
      await Promise.all([pool.close(), overKy.close(), overNode.close()]);
    },
  };
}
