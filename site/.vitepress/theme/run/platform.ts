// The platform of a page: the mock at the examples' `http://localhost:8529`, a new one for each run.
import { createMock, type Mock } from 'arango-services/mock';
import { createPlatform, fetchAsAlice } from '../../../../scripts/lib/example-platform.ts';
// Safari has no `Symbol.asyncDispose`.
import { asyncDispose } from '../../../../src/base/lib/fallbacks.ts';

const url = 'http://localhost:8529';

/** A request that a block sent, and the status of its response. */
interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

export interface PagePlatform {
  readonly requests: readonly SentRequest[];
  /** Applies a file of permissions as the superuser, as README's command does. */
  applyPermissions(text: string): Promise<void>;
  /** Gives the page its own fetch back, and ends the mock. */
  close(): Promise<void>;
}

/** README starts its mock by the command: it has the user root and an empty password. */
const startReadme = () => createMock({ users: [{ name: 'root', password: '' }] });

async function applyOver(mock: Mock, text: string): Promise<void> {
  const { apply, plan, readPermissions, readState } = await import('arango-services/permissions');
  const { createClient, credentials } = await import('arango-services');
  const token = credentials.bearer(await mock.tokens.issue({ user: null }));
  const client = createClient({ ...mock.connection, credentials: token });
  const desired = await readPermissions('permissions.yaml', { read: () => text });
  // The mock decides by what was written at once, so there is nothing to wait for.
  await apply(client, plan(await readState(client, { users: desired.users }), desired), { settleMs: 0 });
}

/** Answers requests to the examples' origin until it is closed; every other request goes where it went. */
export async function openPlatform(file: string): Promise<PagePlatform> {
  const mock = await (file === 'README.md' ? startReadme() : createPlatform());
  const answer = file === 'README.md' ? mock.fetch : await fetchAsAlice(mock);
  const before = globalThis.fetch;
  const requests: SentRequest[] = [];
  globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    if (!request.url.startsWith(`${url}/`)) return before(request);
    const response = await answer(request);
    requests.push({ method: request.method, path: request.url.slice(url.length), status: response.status });
    return response;
  };
  return {
    requests,
    applyPermissions: (text) => applyOver(mock, text),
    async close() {
      globalThis.fetch = before;
      await mock[asyncDispose]();
    },
  };
}
