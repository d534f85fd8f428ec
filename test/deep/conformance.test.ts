import { describe, expect, onTestFinished, test } from 'vitest';
import { nodeTransport } from '../../src/client/node/index.ts';
import { listen, listenGrpc } from '../../src/console/mock/node.ts';
import { poolTransport } from '../../src/enforce/replica/index.ts';
import { createClient, credentials } from '../../src/index.ts';
import { createMock } from '../../src/mock/index.ts';
import { checkConformance } from '../../src/tools/conformance/index.ts';
import { canTry, startHaproxy, startNginx } from '../support/http-proxies.ts';
import { startProxy } from '../support/proxies.ts';
import { config, secret, settings } from '../tools/conformance/support/faulty.ts';

describe.each([
  ['nginx', startNginx],
  ['haproxy', startHaproxy],
] as const)('%s in front of an unchanged mock', (program, startHttp) => {
  test.runIf(canTry(program)).each(['fetch', 'nodeTransport'])(
    'shows no difference over %s, writes and streams included',
    async (way) => {
      await using mock = await createMock(config);
      // The name of nginx's upstream, which it sends as the host.
      const [http, grpc] = [await listen(mock, { allowedHosts: ['target'] }), await listenGrpc(mock)];
      const url = await startHttp(http.url.slice('http://'.length));
      await using proxy = await startProxy(program, Number(grpc.address.split(':')[1]), {
        timeoutSeconds: 20,
        requests: 1_000,
      });
      const token = await mock.tokens.issue({ user: null });
      const transport = way === 'fetch' ? {} : { transport: nodeTransport() };
      const client = createClient({ url, credentials: credentials.bearer(token), ...transport });
      const streams = poolTransport(proxy.address);
      onTestFinished(async () => {
        streams.close();
        await client.close({ graceMs: 0 });
      });
      const report = await checkConformance(client, { secret, streams, write: true, rate: 500 });
      expect(report.differences).toEqual([]);
      expect(report.notTried).toEqual([]);
      expect([report.alike, report.left]).toEqual([true, []]);
      // Nothing depends on central services with a shared secret.
      expect({ ...report.settings, central: false }).toEqual(settings);
    },
  );
});
