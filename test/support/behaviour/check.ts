import type { Mock, MockConfig } from '../../../src/mock/index.ts';

/** The request of a call; POST if it has a body. */
interface CallOptions {
  readonly method?: string;
  /** JSON, unless it is text or bytes. */
  readonly body?: unknown;
  /** A bearer token. */
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed JSON, else text; undefined without a body. */
  readonly body: unknown;
}

/** A mock behind one of its adapters. */
export interface Way {
  /** As users of the package see it: the checks also run over the built one. */
  readonly mock: Omit<Mock, 'parts'>;
  call(path: string, options?: CallOptions): Promise<Answer>;
}

/** A check that must pass through every adapter of the mock. It uses neither Node nor the DOM. */
export interface Check {
  readonly name: string;
  readonly config?: MockConfig;
  run(way: Way): Promise<void>;
}

/** Calls a mock at a base URL through a fetch function. */
export function caller(url: string, fetchIt: typeof fetch): Way['call'] {
  return async (path, { method, body, token, headers = {}, signal } = {}) => {
    const raw = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
    const response = await fetchIt(`${url}${path}`, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      ...(body === undefined ? {} : { body: raw ? (body as BodyInit) : JSON.stringify(body) }), // The cast: raw bodies are text or bytes.
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.startsWith('application/json') === true && text !== '';
    return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text || undefined };
  };
}

export const authn = '/_integration/authn/v1';
export const authz = '/_integration/authorization/v1';
export const rbac = '/_management/permissions';

const everywhere = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;

/** alice may read orders, root may do everything; the clock stands still. */
export const shop: MockConfig = {
  now: '2026-11-20T12:00:00Z',
  users: [{ name: 'alice', password: 'pa ss"1&x' }],
  policies: {
    'read-only': { statements: [{ effect: 'Allow', actions: ['orders:read'], resources: ['*'] }] },
    'no-secrets': { statements: [{ effect: 'Deny', actions: ['*'], resources: ['orders:secret'] }] },
    all: everywhere,
  },
  roles: { viewer: { policies: ['read-only', 'no-secrets'] }, admin: { policies: ['all'] } },
  bindings: [
    { user: 'alice', role: 'viewer', scope: everywhere },
    { user: 'root', role: 'admin', scope: everywhere },
  ],
};

/** The body of a response whose fields are read. */
export const fields = ({ body }: Answer): Record<string, unknown> => body as Record<string, unknown>;

/** A token created by the service. */
export async function tokenFor(way: Way, user: string, more: object = {}): Promise<string> {
  return String(fields(await way.call(`${authn}/createToken`, { body: { user, ...more } })).token);
}
