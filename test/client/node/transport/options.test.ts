import { describe, expect, test } from 'vitest';
import { type NodeTransportOptions, nodeTransport } from '../../../../src/client/node/index.ts';

describe('the options of nodeTransport', () => {
  test.each<[options: unknown, field: string, says: RegExp]>([
    [null, 'options', /expected an object/],
    [{ conections: 1 }, 'conections', /unknown \(did you mean "connections"\?\); accepted are connections, /],
    [{ connections: 0 }, 'connections', /a whole number from 1/],
    [{ pipelining: 2 }, 'pipelining', /expected 1: a connection carries one request at a time/],
    [{ keepAliveMs: '4s' }, 'keepAliveMs', /milliseconds/],
    [{ connectTimeoutMs: 0 }, 'connectTimeoutMs', /milliseconds/],
    [{ socketPath: '' }, 'socketPath', /a non-empty string/],
    [{ socketPath: { canary: '/x' } }, 'socketPath.canary', /a URL like/],
    [{ socketPath: { 'http://a.test': 5 } }, 'socketPath["http://a.test"]', /a non-empty string/],
    [{ proxy: 'socks5://user:secret@x' }, 'proxy', /expected "env" or an http: or https: URL/],
    [{ proxy: 'http://user:se%cret@x' }, 'proxy', /its password holds a malformed escape/],
    [
      { proxy: 'http://us%er:secret@x' },
      'proxy',
      /its username holds a malformed escape; a percent sign is written %25/,
    ],
    [{ tls: 'secret' }, 'tls', /expected an object/],
    [{ tls: { cafile: 'x' } }, 'tls.cafile', /unknown \(did you mean "caFile"\?\); accepted are ca, caFile/],
    [{ tls: { ca: 5 } }, 'tls.ca', /a PEM/],
    [{ tls: { cert: 'secret' } }, 'tls.key', /is missing; a cert needs a key/],
    [{ tls: { keyFile: '/x' } }, 'tls.cert', /is missing; a key needs a cert/],
    [{ tls: { cert: 'secret', certFile: '/x', key: 'secret' } }, 'tls.cert', /cannot be combined with certFile/],
    [{ tls: { rejectUnauthorized: 'no' } }, 'tls.rejectUnauthorized', /true or false/],
  ])('are rejected by name, with what is accepted: %j', (options, field, says) => {
    const create = () => nodeTransport(options as NodeTransportOptions);
    expect(create).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT', field }));
    expect(create).toThrow(says);
    expect(create).not.toThrow(/secret/);
  });

  test('are the defaults if they are undefined', () => {
    const names = ['connections', 'pipelining', 'keepAliveMs', 'connectTimeoutMs', 'socketPath', 'proxy', 'tls'];
    expect(() => nodeTransport(Object.fromEntries(names.map((name) => [name, undefined])))).not.toThrow();
  });
});
