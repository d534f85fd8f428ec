import { createClient, credentials } from 'arango-services';
import { createGuard } from 'arango-services/guard';
import { fromEnv, nodeTransport } from 'arango-services/node';
import { createReplica } from 'arango-services/replica';
import { expect } from 'vitest';

// The main job of a program beside a deployment, in runtimes that have Node's modules: Node, Bun and Deno.

/** The servers of the job; scripts/runtimes/deployment.ts starts them. */
export interface Place {
  /** Every name that package.json exports. */
  readonly subpaths: readonly string[];
  readonly url: string;
  /** The same behind TLS. */
  readonly secureUrl: string;
  /** The pool streams, behind TLS. */
  readonly poolUrl: string;
  readonly caFile: string;
  readonly tokenFile: string;
  /** A token of alice, who may `orders:read`. */
  readonly aliceToken: string;
  /** The token in `tokenFile`, which may do everything. */
  readonly token: string;
}

const mebibyte = 1_048_576;
const question = { action: 'orders:read', resource: 'orders' } as const;

async function* chunks(count: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i++) yield new Uint8Array(65_536).fill(i);
}

/** An upload of 768 KiB (the mock takes up to 1 MiB) and a download of 4 MiB, both as streams. */
async function streamBothWays(client: ReturnType<typeof createClient>): Promise<void> {
  const route = client.database('shop').route('svc');
  for (const body of [chunks(12), () => chunks(12)]) {
    expect((await route.post('size', body)).body).toMatchObject({ bytes: 786_432 });
  }
  const { body } = await route.with({ responseType: 'stream' }).get('large');
  let bytes = 0;
  const reader = body?.getReader();
  for (;;) {
    const chunk = await reader?.read();
    if (chunk === undefined || chunk.done) break;
    bytes += chunk.value.length;
  }
  expect(bytes).toBe(4 * mebibyte);
}

/** The parts of the job. */
export const jobOf = (place: Place): readonly { readonly name: string; run(): Promise<void> }[] => {
  const bearer = credentials.bearer(place.token);
  const transport = () => nodeTransport({ tls: { caFile: place.caFile } });
  return [
    ...place.subpaths.map((name) => ({
      name: `import ${name}`,
      run: async () => void expect(Object.keys(await import(name)).length).toBeGreaterThan(0),
    })),
    {
      name: 'streams over fetch',
      run: () => streamBothWays(createClient({ url: place.url, credentials: bearer })),
    },
    {
      name: 'nodeTransport with caFile, and streams over it',
      async run() {
        const client = createClient({ url: place.secureUrl, transport: transport(), credentials: bearer });
        expect((await client.authentication.validate(place.aliceToken)).valid).toBe(true);
        await streamBothWays(client);
        await client.close();
      },
    },
    {
      name: 'fromEnv',
      async run() {
        const env = fromEnv({
          ARANGO_DEPLOYMENT_ENDPOINT: place.secureUrl,
          ARANGO_DEPLOYMENT_CA: place.caFile,
          ARANGO_TOKEN: place.tokenFile,
          INTEGRATION_HTTP_ADDRESS_FULL: place.url,
        });
        const client = createClient(env);
        expect(await client.authorization.isAllowed({ user: 'alice', ...question })).toBe(true);
        expect((await client.database('shop').route('svc').get('text')).status).toBe(200);
        await client.close();
      },
    },
    {
      name: 'a replica with TLS',
      async run() {
        await using replica = createReplica({
          address: place.poolUrl,
          tls: { caFile: place.caFile },
          credentials: bearer,
        });
        await replica.ready({ timeout: 10_000 });
        expect(replica.isAllowed({ user: 'alice', ...question })).toBe(true);
        expect(replica.isAllowed({ user: 'bob', ...question })).toBe(false);
      },
    },
    {
      name: 'a guard',
      async run() {
        const guard = createGuard(createClient({ url: place.url, credentials: bearer }));
        const ask = (token: string) =>
          guard.check(new Request('http://own.test/', { headers: { authorization: `Bearer ${token}` } }), question);
        expect((await ask(place.aliceToken)).allowed).toBe(true);
        expect((await ask('not a token')).allowed).toBe(false);
      },
    },
  ];
};
