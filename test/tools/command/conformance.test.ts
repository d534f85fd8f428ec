import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../../scripts/lib/exec.ts';
import { listenGrpc } from '../../../src/console/mock/node.ts';
import { secret } from '../conformance/support/faulty.ts';
import { folderOf, openDeployment } from './support/deployment.ts';
import { inProcess } from './support/in-process.ts';
import { Running } from './support/process.ts';

const policies = {
  reading: { statements: [{ effect: 'Allow', actions: ['orders:*'], resources: ['eu:*'] }] },
} as const;
const seed = {
  fidelity: 'sidecar',
  authentication: { keys: { active: secret } },
  policies,
  roles: { viewer: { policies: ['reading'] } },
  bindings: [{ user: 'alice', role: 'viewer', scope: policies.reading }],
} as const;
const fast = ['--rate', '10000'];

describe('arango-services conformance', () => {
  test('exits with 0 for a mock, also with writes and streams', async () => {
    const { mock, url, folder } = await openDeployment(seed, { secret });
    const { address } = await listenGrpc(mock);
    const flags = ['--url', url, '--jwt-secret-file', join(folder, 'secret'), '--grpc', address, '--write', ...fast];
    const { code, out, err } = await inProcess(['conformance', ...flags]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(
      /^\d+ checks alike, 0 different, 0 known, 0 not tried; \d+ questions\.\nCompared with: sidecar, /,
    );
    expect(out).not.toContain(secret);
  });

  test('exits with 2 for differences, and writes JUnit and the sentences', async () => {
    const { url, folder } = await openDeployment(seed);
    const [junit, out] = [join(folder, 'junit.xml'), join(folder, 'parity.json')];
    const flags = ['--url', url, '--token-file', join(folder, 'token'), '--users', 'alice', '--fidelity', 'documented'];
    const run = await inProcess(['conformance', ...flags, '--junit', junit, '--out', out, ...fast]);
    expect([run.code, run.err]).toEqual([2, '']);
    expect(run.out).toContain('sentence of docs/wire.md');
    expect(run.out).toContain('Fits best (0 different): sidecar, ');
    expect(readFileSync(junit, 'utf8')).toContain('<failure ');
    const parity = JSON.parse(readFileSync(out, 'utf8'));
    expect(parity.deployment).toBe(url);
    const wire = JSON.parse(readFileSync(`${root}docs/parity/kube-arangodb-recorded.json`, 'utf8'));
    const known = new Set(wire.sentences.map(({ sentence }: { sentence: string }) => sentence));
    expect(parity.sentences.filter(({ sentence }: { sentence: string }) => !known.has(sentence))).toEqual([]);
    const asJson = await inProcess(['conformance', ...flags, '--json', ...fast]);
    expect(JSON.parse(asJson.out)).toMatchObject({ alike: false, stopped: false });
  });

  test.each([
    ['recorded', '1.4.5', [0, 'Compared with: sidecar, platform recorded, ', 'Fits best']],
    [
      'next',
      'recorded',
      [2, 'Fits best (0 different): sidecar, platform next, ', 'Compared with: sidecar, platform next'],
    ],
    // Not 1.4.4, which a shared secret does not tell from it.
    [
      'recorded',
      'next',
      [2, 'Fits best (0 different): sidecar, platform recorded, ', 'Compared with: sidecar, platform recorded'],
    ],
    ['recorded', undefined, [0, 'Compared with: sidecar, platform recorded, ', 'Fits best']],
    ['next', undefined, [0, 'Compared with: sidecar, platform next, ', 'Fits best']],
  ] as const)(
    'says the version that fits a deployment of %s, expected to be %s',
    async (platform, wanted, [code, ...texts]) => {
      const { url, folder } = await openDeployment({ ...seed, platform });
      const flags = ['--url', url, '--token-file', join(folder, 'token'), ...fast];
      const run = await inProcess(['conformance', ...flags, ...(wanted ? ['--platform', wanted] : [])]);
      expect([run.code, run.err]).toEqual([code, '']);
      expect(run.out).toContain(texts[0]);
      expect(run.out).not.toContain(texts[1]);
    },
  );

  test('takes known differences, and refuses others', async () => {
    const { url, folder } = await openDeployment(seed);
    const known = join(folder, 'known.json');
    writeFileSync(known, JSON.stringify([{ check: '*', reason: 'for now' }]));
    const flags = ['--url', url, '--token-file', join(folder, 'token'), '--fidelity', 'documented', ...fast];
    const run = await inProcess(['conformance', ...flags, '--known', known]);
    expect([run.code, run.err]).toEqual([0, '']);
    expect(run.out).toContain('– for now');
    for (const [text, message] of [
      ['{', 'known.json: is not valid JSON (line 1 column 2)'],
      ['[{"check":"a", "check":"b"}]', 'known.json:1:16: the key "check" is there twice'],
      ['[{"check":5}]', 'known[0].check: expected a string'],
      ['[{"chek":"a"}]', 'known[0].chek: unknown (did you mean "check"?)'],
    ] as const) {
      writeFileSync(known, text);
      const refused = await inProcess(['conformance', ...flags, '--known', known]);
      expect([refused.code, refused.err]).toEqual([64, expect.stringContaining(message)]);
    }
  });

  test('refuses outputs that cannot be written before it asks, and loses no report to a full one', async () => {
    const { mock, url, folder } = await openDeployment(seed);
    const flags = ['--url', url, '--token-file', join(folder, 'token'), ...fast];
    const file = join(folder, 'report');
    for (const [more, message] of [
      [['--junit', file, '--out', join(folder, '.', 'report')], '--out: is the file of --junit, too'],
      [['--known', file, '--out', file], '--out: is the file of --known, too'],
      [['--junit', folder], '--junit: is a directory'],
    ] as const) {
      expect(await inProcess(['conformance', ...flags, ...more])).toMatchObject({
        code: 64,
        err: expect.stringContaining(message),
      });
    }
    expect(mock.requests).toEqual([]);
    const lost = await inProcess(['conformance', ...flags, '--out', join(folder, 'none', 'file')]);
    expect(lost).toMatchObject({ code: 64, err: expect.stringContaining('--out: cannot be written (ENOENT)') });
    expect(lost.out).toContain('checks alike');
  });

  test.each([
    [['--url', 'http://127.0.0.1:1'], 1, '127.0.0.1:1'],
    [['--url', 'no'], 64, '--url: expected an absolute http: or https: URL'],
    [
      ['--url', 'http://a.test', '--integration-url', 'http://a:b@c.test'],
      64,
      '--integration-url: must not hold a user',
    ],
    [['--url', 'http://a.test', '--rate', '0'], 64, '--rate: expected a whole number from 1'],
    [['--url', 'http://a.test', '--grpc', 'x'], 64, '--grpc: '],
    [['--url', 'http://a.test', '--wirte'], 64, '(did you mean "--write"?); see arango-services conformance --help'],
    [['--url', 'http://a.test', '--known', 'none.json'], 64, '--known: '],
  ])('%j exits with %i', async (args, exit, message) => {
    const { code, err } = await inProcess(['conformance', ...args]);
    expect([code, err]).toEqual([exit, expect.stringContaining(message)]);
  });

  test('prints its help, and is listed in that of the command', async () => {
    const { code, out } = await inProcess(['conformance', '--help']);
    expect([code, out]).toEqual([0, expect.stringContaining('Exit code: 0 if it is alike, 2 if it differs')]);
    expect((await inProcess(['--help'])).out).toContain('  conformance  ');
  });

  test('removes what it wrote at Ctrl-C, and exits with 1', async () => {
    const { mock, url, folder, client } = await openDeployment(seed, { secret });
    const run = new Running(
      process.execPath,
      [
        `${root}dist/command/index.js`,
        'conformance',
        '--url',
        url,
        '--jwt-secret-file',
        join(folder, 'secret'),
        '--write',
        '--rate',
        '30',
      ],
      folderOf(),
      {},
    );
    await mock.waitFor(
      { method: 'POST', path: /^\/_management\/permissions\/policy\/arango-services-conformance-[\da-f]{8}-p$/ },
      { timeout: 60_000 },
    );
    run.child.kill('SIGINT');
    const { code, out, err } = await run.ended();
    expect([code, err]).toEqual([1, 'arango-services: stopped by SIGINT; nothing is left of what it wrote\n']);
    expect(out).toContain('Stopped early.');
    const names: string[] = [];
    for await (const name of client.authorization.policies.list()) names.push(name);
    expect(names).toEqual(['reading']);
  });
});
