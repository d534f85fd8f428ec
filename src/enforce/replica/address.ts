import { InvalidArgumentError } from '../../base/errors.js';
import { describeValue } from '../../base/lib/values.js';

export interface Target {
  /** `http:` or `https:`, host and port, as shown in errors. */
  readonly origin: string;
  readonly secure: boolean;
}

const hostAndPort = /^(?:\[[\da-f:.]+\]|[^\s:/?#@[\]\\]+):(\d{1,5})$/i;
const accepted = 'expected host:port like "127.0.0.1:9201", or a URL like "https://central.example.com:9201"';

/**
 * Reads an address in the format of `INTEGRATION_SERVICE_ADDRESS`, or a URL. With `tls` a `host:port` uses TLS.
 * @throws InvalidArgumentError naming the missing or superfluous part.
 */
export function readAddress(address: unknown, tls: boolean | undefined): Target {
  const refuse = (problem: string): InvalidArgumentError => new InvalidArgumentError('address', problem);
  const text = address instanceof URL ? address.href : address;
  if (typeof text !== 'string' || text === '') throw refuse(`${accepted}, got ${describeValue(address)}`);
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text)) {
    const port = hostAndPort.exec(text)?.[1];
    if (port === undefined) {
      const what = /:\d*$/.test(text) || text.includes('/') ? '' : '; the port is missing';
      throw refuse(`${accepted}${what}`);
    }
    if (Number(port) < 1 || Number(port) > 65_535) throw refuse('expected a port from 1 to 65535');
    const scheme = tls === true ? 'https' : 'http';
    if (!URL.canParse(`${scheme}://${text}`)) throw refuse(accepted);
    return { origin: new URL(`${scheme}://${text}`).origin, secure: tls === true };
  }
  if (!/^https?:/i.test(text) || !URL.canParse(text)) throw refuse(accepted);
  const { protocol, origin, pathname, search, hash, username, password } = new URL(text);
  if (username !== '' || password !== '') throw refuse('must not hold a user or password; use credentials instead');
  if (pathname !== '/' || search !== '' || hash !== '') {
    throw refuse('must not hold a path, query or fragment: gRPC is served at the root of a host and port');
  }
  const secure = protocol === 'https:';
  if (!secure && tls === true) throw refuse('is an http: URL, but tls is set: write https:, or leave tls out');
  if (secure && tls === false) throw refuse('is an https: URL, but tls is false: write http:, or leave tls out');
  return { origin, secure };
}
