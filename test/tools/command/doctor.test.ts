import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createSilentServer } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { listen } from '../../../src/console/mock/node.ts';
import { createMock, type Forgery, type MockConfig } from '../../../src/mock/index.ts';
import { judgeCertificate } from '../../../src/tools/command/doctor/certificate.ts';
import { answerMs } from '../../../src/tools/command/doctor/probe.ts';
import { listenMs } from '../../../src/tools/command/doctor/stream-pieces.ts';
import { type Authority, createAuthority } from '../../support/certificates.ts';
import { isRelease } from '../../support/thorough.ts';
import { folderOf } from './support/deployment.ts';
import { inProcess } from './support/in-process.ts';
import { shell } from './support/process.ts';

const allowAll = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] } as const;
const config: MockConfig = {
  fidelity: 'sidecar',
  policies: { all: allowAll },
  roles: { admin: { policies: ['all'] } },
  bindings: [{ user: 'ada', role: 'admin', scope: allowAll }],
};

/** A mock on a port, as its gateway serves it, and a file with a token. */
async function open(changes: MockConfig & Pick<Forgery, 'expired' | 'wrongKey'> = {}, gateway = true) {
  const { expired, wrongKey, ...changed } = changes;
  const mock = await createMock({ ...config, ...changed });
  const server = await listen(mock, { gateway });
  onTestFinished(() => server.close());
  const token = join(folderOf(), 'token');
  writeFileSync(
    token,
    await (expired || wrongKey
      ? mock.tokens.forge({ user: 'ada', expired, wrongKey })
      : mock.tokens.issue({ user: 'ada', lifetime: '1h' })),
  );
  return { mock, url: server.url, token };
}

async function openServer(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.closeAllConnections());
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Runs doctor: its exit code, and a line for each finding. */
async function diagnose(url: string, ...flags: readonly string[]) {
  const { code, out, err } = await inProcess(['doctor', '--url', url, ...flags, '--json']);
  const { findings } = JSON.parse(out);
  const lines = findings.map(({ check, level, message }: Record<string, string>) => `${check} ${level}: ${message}`);
  return { code, err, lines, out };
}

// Loaded on demand, which takes seconds on a busy machine: as long as doctor waits for an answer.
beforeAll(async () => {
  await Promise.all([
    import('../../../src/client/node/index.ts'),
    import('../../../src/mock/gateway/pass.ts'),
    import('../../../src/mock/services/gateway-calls.ts'),
    import('../../../src/tools/command/doctor/index.ts'),
  ]);
});

describe('arango-services doctor', () => {
  test.each([
    ['1.4.4', 'the inventory has no connectors'],
    ['recorded', 'roles cannot be bound to groups'],
    ['next', 'roles can be bound to groups'],
  ] as const)('finds all well behind the gateway of %s, and names the platform', async (platform, why) => {
    const { mock, url, token } = await open({ platform });
    const { code, err, lines, out } = await diagnose(url, '--token-file', token);
    expect(lines).toEqual([
      'address ok: a mock of arango-services, sidecar fidelity',
      'clock ok: the same as on this machine',
      'inventory ok: ArangoDB 3.12.5 Community, Single; RBAC is on, authentication Native',
      expect.stringMatching(/^token ok: of user "ada"; expires in (?:59|60) min$/),
      expect.stringMatching(/^permissions ok: the token may list policies and roles, .*create tokens for every user$/),
      'services ok: the gateway does not route /_integration: a service asks those beside it (--integration-url)',
      `platform ok: ${why}: use platform: '${platform}' in the mock`,
    ]);
    expect([code, err]).toEqual([0, '']);
    expect(out).not.toMatch(/eyJ/);
    expect(mock.requests.filter(({ path }) => /createToken/.test(path))).toEqual([]);
  });

  test('names the services beside a sidecar, and what the token may not', async () => {
    const { url, token } = await open({ bindings: [] }, false);
    const { code, lines } = await diagnose(url, '--token-file', token);
    expect(lines).toContain('services ok: authentication, authorization, pong answer');
    expect(lines).toContainEqual(expect.stringMatching(/^permissions warning: the token may not list policies/));
    expect(code).toBe(2);
  });

  test('asks without a token if there is none, and warns of it', async () => {
    const { url } = await open();
    const { code, lines } = await diagnose(url);
    expect(lines).toContain('token warning: there is none: all was asked without one');
    expect(lines).toContain('inventory warning: not read: it needs a token');
    expect(code).toBe(2);
  });

  test.each([
    [{ expired: true }, /^token failure: of user "ada"; expired \d+ s ago$/],
    [{ wrongKey: true }, /^token failure: of user "ada"; the deployment refuses it$/],
  ] as const)('says what is wrong with a token: %o', async (flaw, finding) => {
    const { url, token } = await open(flaw);
    const { code, lines, err } = await diagnose(url, '--token-file', token);
    expect([code, err]).toEqual([2, '']);
    expect(lines).toContainEqual(expect.stringMatching(finding));
  });

  test('a password that is refused is a finding, and stands nowhere', async () => {
    const { url } = await open();
    const stdin = Readable.from([Buffer.from('canary-password')]);
    const flags = ['--url', url, '--user', 'ada', '--password-stdin'];
    const { code, out, err } = await inProcess(['doctor', ...flags], { stdin });
    expect(out).toMatch(/^FAILED {3}token +.*\n +→ check user and password/m);
    expect([code, err, /canary-password/.test(out)]).toEqual([2, '', false]);
  });

  test.each([true, false])('a user logs in at the gateway, and beside a sidecar: %s', async (gateway) => {
    const { url } = await open({ users: [{ name: 'ada', password: 'canary' }] }, gateway);
    const stdin = Readable.from([Buffer.from('canary\n')]);
    const { code, out, err } = await inProcess(['doctor', '--url', url, '--user', 'ada', '--password-stdin'], {
      stdin,
    });
    expect(out).toMatch(/^ok {7}token +of user "ada"; expires in /m);
    expect(out).toMatch(/^ok {7}permissions +the token may list policies and roles/m);
    expect([code, err, /canary/.test(out)]).toEqual([0, '', false]);
  });

  // Its waits are real: a release runs it.
  test.runIf(isRelease)(
    'a login, questions and a stream that hang end after two waits, 10 s at most together',
    async () => {
      const url = await openServer((request, response) => {
        if (request.url?.startsWith('/_api/version') && !request.headers.authorization) response.end('{}');
      });
      const stdin = Readable.from([Buffer.from('canary')]);
      const flags = ['--user', 'ada', '--password-stdin', '--stream', '/feed'];
      const { code, out } = await inProcess(['doctor', '--url', url, ...flags], { stdin });
      expect([code, answerMs + listenMs < 10_000]).toEqual([2, true]);
      expect(out).toMatch(/^FAILED {3}token +the login timed out$/m);
      expect(out).toMatch(/^WARNING {2}stream +no answer in 5/m);
    },
  );

  test.runIf(isRelease)('a TLS handshake that hangs does not keep the process for longer than the answer', async () => {
    const server = createSilentServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const began = performance.now();
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { code, out } = await shell(`cli doctor --url ${url}`, folderOf());
    expect([code, out]).toEqual([2, expect.stringMatching(/^FAILED {3}address +.*timed out/)]);
    expect(performance.now() - began).toBeLessThan(answerMs + 4_000);
  });

  test('a token that is too long is a finding', async () => {
    const { url, token } = await open();
    writeFileSync(token, 'x'.repeat(20_000));
    const { code, lines } = await diagnose(url, '--token-file', token);
    expect([code, lines]).toEqual([2, expect.arrayContaining([expect.stringMatching(/^token failure: .*16384/)])]);
  });

  test('nothing that listens is one finding, with the next step', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const { code, lines, out } = await diagnose(`http://127.0.0.1:${port}`);
    expect([code, lines]).toEqual([2, [expect.stringMatching(/^address failure: .*ECONNREFUSED/)]]);
    expect(out).toContain('nothing listens there');
  });

  test('a port that never answers is one finding', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const url = await openServer(() => void vi.advanceTimersByTime(answerMs));
    const { code, lines } = await diagnose(url);
    expect([code, lines]).toEqual([2, [expect.stringMatching(/^address failure: .*timed out after 3000 ms/)]]);
  });

  test.each([
    [403, 'inventory warning: not read: refused (403)'],
    [500, 'inventory warning: not read: status 500'],
  ])('status %i to all questions is not taken for no answer', async (status, inventory) => {
    const url = await openServer((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end('{"error":true}');
    });
    const { code, lines } = await diagnose(url);
    expect([code, lines]).toEqual([2, expect.arrayContaining([expect.stringContaining(inventory)])]);
    expect(lines).toContainEqual(
      expect.stringContaining(`services warning: no integration service answers; status ${status} instead`),
    );
  });

  test('a database without a gateway is named', async () => {
    const url = await openServer((request, response) => {
      const isVersion = request.url?.startsWith('/_api/version');
      response.writeHead(isVersion ? 200 : 404, { 'content-type': 'application/json' });
      const missing = { error: true, code: 404, errorNum: 404, errorMessage: "unknown path '/x'" };
      response.end(JSON.stringify(isVersion ? { server: 'arango', license: 'community', version: '3.12.4' } : missing));
    });
    const { lines } = await diagnose(url);
    expect(lines).toContain('address warning: a database, ArangoDB 3.12.4, without a gateway');
    expect(lines).toContain('services warning: no integration service answers');
  });

  test('a version of any length and with control characters takes one short line', async () => {
    const url = await openServer((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ server: 'arango', version: `\u001b[31m\n${'9'.repeat(5_000)}` }));
    });
    const { out } = await inProcess(['doctor', '--url', url]);
    expect(out).toMatch(/^WARNING {2}address +a database, ArangoDB [^\p{Cc}]{1,110}, without a gateway$/mu);
  });

  test('another server is not taken for a deployment', async () => {
    const url = await openServer((_, response) => void response.end('<h1>It works</h1>'));
    const { lines } = await diagnose(url);
    expect(lines[0]).toMatch(/^address failure: answers, but neither/);
    // A page for every path is no answer about groups.
    expect(lines.at(-1)).toBe("platform ok: not known, by default: use platform: 'recorded' in the mock");
  });

  test.each(['{}', '{"ok":true,"version":"1"}', '[]', 'null'])(
    'a server that answers every path with %s is not taken for a deployment',
    async (body) => {
      const url = await openServer((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(body);
      });
      const { token } = await open();
      const { lines } = await diagnose(url, '--token-file', token);
      expect(lines).toEqual([
        'address failure: answers, but neither as a gateway nor as services or a database',
        'clock ok: the same as on this machine',
        'inventory ok: none is served',
        expect.stringMatching(/^token ok: of user "ada"; expires in .*; no answer tells whether it is accepted$/),
        expect.stringMatching(/^permissions /),
        expect.stringMatching(/^services warning: no integration service answers/),
        "platform ok: not known, by default: use platform: 'recorded' in the mock",
      ]);
    },
  );

  test.each([429, 503])('status %i to all questions is named, and the URL is not blamed', async (status) => {
    const { lines, out } = await diagnose(await openServer((_, response) => response.writeHead(status).end('<h1>')));
    expect(lines[0]).toBe(`address failure: answers with status ${status}`);
    expect(out).not.toContain('check the URL');
  });

  test.each([
    [200, /^token ok: of user "ada"; expires in (?:59|60) min$/],
    [401, /^token failure: of user "ada"; the deployment refuses it$/],
  ])('a database that answers a token with %i tells whether it accepts it', async (status, finding) => {
    const url = await openServer((request, response) => {
      const isVersion = request.url?.startsWith('/_api/version');
      response.writeHead(!isVersion ? 404 : request.headers.authorization ? status : 401, {
        'content-type': 'application/json',
      });
      response.end(JSON.stringify({ server: 'arango', version: '3.12.4', errorNum: isVersion ? 11 : 404 }));
    });
    const { token } = await open();
    expect((await diagnose(url, '--token-file', token)).lines).toContainEqual(expect.stringMatching(finding));
  });

  test('a token that is not valid yet says when it will be, and names ten of its groups', async () => {
    const { url, token } = await open();
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const now = Math.floor(Date.now() / 1_000);
    const groups = Array.from({ length: 12 }, (_, index) => `g${index}`);
    const claims = { preferred_username: 'ada', groups, nbf: now + 3_600, exp: now + 400 * 86_400 };
    writeFileSync(token, `${part({ alg: 'HS256' })}.${part(claims)}.c2ln`);
    expect((await diagnose(url, '--token-file', token)).lines).toContainEqual(
      expect.stringMatching(
        /^token failure: .*, "g9" and 2 more; the deployment refuses it; not valid for another \d+ min \(nbf\)$/,
      ),
    );
  });

  test('the time until a token expires is printed in days if it is long', async () => {
    const { mock, url, token } = await open();
    writeFileSync(token, await mock.tokens.issue({ user: 'ada', lifetime: '8760h' }));
    expect((await diagnose(url, '--token-file', token)).lines).toContain(
      'token ok: of user "ada"; expires in 365 days',
    );
  });

  test.each([
    ['https://b.test/db/_api/version?details=true', 'https://b.test/db/_api/version', 'give --url https://b.test/db'],
    ['https://login.test/?state=canary', 'https://login.test/', 'a login page of a proxy may stand before'],
    ['http://[', 'an invalid URL', 'check the URL'],
  ])('a redirect to %s gives the next step, without the query', async (location, where, next) => {
    const { lines, out } = await diagnose(
      await openServer((_, response) => void response.writeHead(302, { location }).end()),
    );
    expect([lines[0], out]).toEqual([`address failure: redirects to ${where}`, expect.stringContaining(next)]);
    expect(out).not.toContain('canary');
  });

  test('a proxy of the environment, which Node does not use, is named where nothing answers', async () => {
    const url = 'http://127.0.0.1:1';
    const diagnosed = async (env: Record<string, string>) => (await inProcess(['doctor', '--url', url], { env })).out;
    expect(await diagnosed({ https_proxy: 'http://proxy.test' })).toContain('NODE_USE_ENV_PROXY=1');
    expect(await diagnosed({ https_proxy: 'http://proxy.test', NODE_USE_ENV_PROXY: '1' })).not.toContain('PROXY');
  });

  test('an address that redirects elsewhere says so', async () => {
    const url = await openServer((_, response) => void response.writeHead(301, { location: 'https://b.test/' }).end());
    expect((await diagnose(url)).lines[0]).toBe('address failure: redirects to https://b.test/');
  });

  test('a clock that is two hours off is a failure', async () => {
    const url = await openServer((_, response) => {
      response.setHeader('date', new Date(Date.now() - 7_200_000).toUTCString());
      response.end('{"server":"arango"}');
    });
    expect((await diagnose(url)).lines).toContainEqual(
      expect.stringMatching(/^clock failure: the deployment is 7[12]\d\d s behind this machine$/),
    );
  });
});

describe('doctor --stream', () => {
  /** A stream whose pieces come `everyMs` apart, or all of them at its end, as behind a proxy that buffers. */
  const openStream = (isBuffered: boolean) =>
    openServer((request, response) => {
      if (request.url !== '/feed') return void response.writeHead(404).end();
      response.setHeader('content-type', 'text/event-stream');
      if (isBuffered) return void response.end('data: 1\n\ndata: 2\n\n');
      // Until doctor has heard enough: a busy machine may read several pieces at once.
      const timer = setInterval(() => response.write('data: 1\n\n'), 50);
      response.on('close', () => clearInterval(timer));
    });

  test('pieces that arrive one by one are well', async () => {
    const { lines } = await diagnose(await openStream(false), '--stream', '/feed');
    expect(lines.at(-1)).toMatch(/^stream ok: pieces arrive one by one, the first after \d+ ms$/);
  });

  test('pieces that were kept until the end are a warning', async () => {
    const { lines, out } = await diagnose(await openStream(true), '--stream', '/feed');
    expect(lines.at(-1)).toMatch(/^stream warning: everything arrived at once, after \d+ ms, and the stream ended$/);
    expect(out).toContain('X-Accel-Buffering');
  });

  test.each([
    [401, 'see token'],
    [502, 'look at the logs'],
  ])('the next step after status %i is not another path', async (status, next) => {
    const url = await openServer((_, response) => response.writeHead(status).end());
    expect(JSON.parse((await diagnose(url, '--stream', '/feed')).out).findings.at(-1).next).toContain(next);
  });

  test('a path that is not there is a failure', async () => {
    const { lines } = await diagnose(await openStream(true), '--stream', '/other');
    expect(lines.at(-1)).toMatch(/^stream failure: .*404/);
  });
});

test.each([
  [['--stream', ''], '--stream'],
  [['--stream', 'https://b.test/feed'], '--stream'],
  [['--stream', '//b.test/feed'], '--stream'],
  [['--stream', '../feed'], '--stream'],
  [['--url', 'db.test'], '--url'],
  [['--users', 'a'], '--users'],
])('wrong flags are refused before anything is sent: %j', async (flags, named) => {
  const { code, err } = await inProcess([
    'doctor',
    ...(flags[0] === '--url' ? [] : ['--url', 'http://127.0.0.1:1']),
    ...flags,
  ]);
  expect([code, err]).toEqual([64, expect.stringContaining(named)]);
});

describe('doctor finds a certificate', () => {
  /** A TLS server that answers as a database does. */
  async function openTls(wanted: Parameters<Authority['issue']>[0]) {
    const authority = await createAuthority();
    const server = createTlsServer(await authority.issue(wanted), (_, response) => response.end('{}')).listen(0);
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test.each([
    [{}, /^tls failure: the certificate is not trusted \([A-Z_]+\), valid until \d{4}-\d\d-\d\d$/],
    [{ fromDays: -9, toDays: -2 }, /^tls failure: the certificate is expired, valid until /],
  ])('of an unknown authority, %j', async (wanted, finding) => {
    const { code, lines, out } = await diagnose(await openTls(wanted));
    expect([code, lines]).toEqual([2, [expect.stringMatching(/^address failure: /), expect.stringMatching(finding)]]);
    expect(out).toContain('"next": "see tls"');
  });

  test.each([
    [13.5, 'warning', /^the certificate ends in 13 days, /],
    [14.5, 'ok', /^the certificate is valid until /],
  ])('that ends in %d days', (days, level, message) => {
    const finding = judgeCertificate({ validTo: new Date(Date.now() + days * 86_400_000) });
    expect(finding).toMatchObject({ level, message: expect.stringMatching(message) });
  });
});
