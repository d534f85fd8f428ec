import {
  createPdp,
  type Pdp,
  type PdpDecider,
  type PdpOptions,
  toNodeListener,
} from '../../../../src/enforce/authzen/index.ts';
import { serveRaw } from '../../../support/server.ts';

export const key = 'the-key-of-the-gateway-4711';

interface Posted {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
  readonly text: string;
}

export interface PdpServer {
  readonly url: string;
  /** Sends JSON with the key, and reads the answer. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Posted>;
}

async function read(response: Response): Promise<Posted> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === '' ? undefined : JSON.parse(text) };
}

/** A PDP on a port, for one test, that takes a key. */
export async function servePdp(decider: PdpDecider, options: Partial<PdpOptions> = {}): Promise<PdpServer> {
  let pdp: Pdp | undefined;
  const { url } = await serveRaw((request, response) =>
    toNodeListener(async (one) => (pdp as Pdp)(one))(request, response),
  );
  const authenticate = (request: Request) => request.headers.get('authorization') === `Bearer ${key}`;
  pdp = createPdp(decider, { url, authenticate, ...options });
  return {
    url,
    post: async (path, body, headers = {}) =>
      read(
        await fetch(url + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
          body: typeof body === 'string' ? body : JSON.stringify(body),
        }),
      ),
  };
}
