/// <reference lib="esnext.disposable" preserve="true" />
import { asyncDispose } from '../../../lib/fallbacks.js';
import { neighbourVariables } from '../../config/neighbour.js';
import { refuseUnknown } from '../../kit/filter.js';
import type { InternalMock, Mock } from '../../mock.js';
import { createCors } from '../cors.js';
import { serveBothVersions } from './both-versions.js';
import { createHostCheck, isLoopbackAddress, readAllowedHosts } from './host-check.js';
import { createHttp1 } from './http1.js';
import { createHttp2 } from './http2.js';
import { createLinks } from './links.js';
import { formatAddress, listenAt, type Place, readPlace } from './place.js';
import { readTimeouts, type Timeouts, timeoutNames } from './timeouts.js';
import { writeToken } from './token-file.js';

export type { Place } from './place.js';
export type { Timeouts } from './timeouts.js';

/** Where a mock listens. */
export interface ListenOptions extends Place, Timeouts {
  /** The origins of the pages that may call, like `['http://localhost:5173']`. Default none. */
  readonly cors?: readonly string[] | undefined;
  /**
   * More names by which requests may come to a port of this machine alone, like `['db.test']`; they are compared with
   * the `Host` header. `localhost`, names below it and loopback addresses always may. A port that others reach takes
   * any name, unless some are listed here.
   */
  readonly allowedHosts?: readonly string[] | undefined;
}

/** A mock on a port. */
export interface MockServer extends AsyncDisposable {
  /** The base URL, without a slash at its end. */
  readonly url: string;
  /** The port that it got, also where `0` asked for any. */
  readonly port: number;
  /** For `createClient(server.connection)`. */
  readonly connection: { readonly url: string; readonly retry: 0; readonly transport: undefined };
  /**
   * `mock.env()` with this server's URL: what a program beside the services would see, for `fromEnv` or as a child
   * process's variables. With `tokenFile`, a new token of the configured user is written to that file, for its owner
   * only, and `ARANGO_TOKEN` names it; call it again to renew the token.
   */
  env(options?: { readonly tokenFile?: string | undefined }): Promise<Record<string, string>>;
  /** Frees the port. Answers that are under way get half a second. */
  close(): Promise<void>;
}

const graceMs = 500;

function readOptions(options: ListenOptions) {
  refuseUnknown(options, ['port', 'host', 'cors', 'allowedHosts', ...timeoutNames], 'options');
  const { cors: origins = [] } = options;
  const cors = createCors(origins);
  const callers = { origins, allowedHosts: readAllowedHosts(options.allowedHosts) };
  return { ...readPlace(options), cors, callers, timeouts: readTimeouts(options) };
}

/**
 * Serves a mock on a port of this machine, over HTTP/1.1 and HTTP/2 without TLS (prior knowledge), until `close`, or
 * until the server or the mock is disposed.
 * @throws InvalidArgumentError (code `INVALID_ARGUMENT`) for a wrong option. Rejects with Node's own error where the
 * port cannot be had (`EADDRINUSE`).
 * @example
 * ```ts
 * import { createClient } from 'arango-services';
 * import { createMock } from 'arango-services/mock';
 * import { listen } from 'arango-services/mock/node';
 *
 * await using mock = await createMock();
 * await using server = await listen(mock, { cors: ['http://localhost:5173'] });
 * const client = createClient(server.connection);
 * ```
 */
export async function listen(mock: Mock, options: ListenOptions = {}): Promise<MockServer> {
  const { port, host, cors, callers, timeouts } = readOptions(options);
  const links = createLinks();
  let local = true;
  const checkHost = createHostCheck(callers, () => local);
  let closing: Promise<void> | undefined;

  const http2 = createHttp2(mock, links, checkHost);
  const server = serveBothVersions(createHttp1(mock, links, cors, checkHost, timeouts), http2, timeouts);
  server.on('connection', links.add);
  http2.on('connection', links.hand);

  const address = await listenAt(server, { port, host });
  local = isLoopbackAddress(address.address);

  const url = `http://${formatAddress(address)}`;
  const { portUrls } = mock as InternalMock; // The cast: there is no other way to a mock than `createMock`.
  portUrls.add(url);

  function shut(): Promise<void> {
    forget();
    portUrls.delete(url);
    return new Promise((resolve) => {
      const timer = setTimeout(links.cut, graceMs);
      server.close(() => {
        clearTimeout(timer);
        resolve();
      });
      links.close();
    });
  }
  const close = (): Promise<void> => {
    closing ??= shut();
    return closing;
  };
  const forget = mock.onDispose(close);

  return {
    url,
    port: address.port,
    connection: { url, retry: 0, transport: undefined },
    async env({ tokenFile } = {}) {
      const variables = neighbourVariables(mock.settings, url);
      if (tokenFile === undefined) return variables;
      await writeToken(tokenFile, await mock.tokens.issue());
      return { ...variables, ARANGO_TOKEN: tokenFile };
    },
    close,
    [asyncDispose]: close,
  };
}
