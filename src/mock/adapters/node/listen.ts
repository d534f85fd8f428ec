/// <reference lib="esnext.disposable" preserve="true" />
import { asyncDispose } from '../../../base/lib/fallbacks.js';
import { readFields } from '../../../base/lib/readers.js';
import { neighbourVariables } from '../../config/neighbour.js';
import type { Mock } from '../../mock.js';
import { createCors } from '../cors.js';
import { readMock } from '../read-mock.js';
import { serveBothVersions } from './both-versions.js';
import type { OpenConsole } from './console-port.js';
import { createHostCheck, isLoopbackAddress, readAllowedHosts } from './host-check.js';
import { createHttp1 } from './http1.js';
import { createHttp2 } from './http2.js';
import { createLinks } from './links.js';
import { type ListenOptions, readListenOptions } from './listen-options.js';
import { formatAddress, listenAt, listeningAddress } from './listening-address.js';
import { waitTimes } from './timeouts.js';
import { writeToken } from './write-token.js';

/** The console on a port. */
export interface ServedConsole {
  /** The address of the page. */
  readonly url: string;
  /** The key that the page asks for; undefined if only this machine can reach it. */
  readonly key: string | undefined;
}

/** A mock on a port. */
export interface MockServer extends AsyncDisposable {
  /** The base URL, without a trailing slash. */
  readonly url: string;
  /** The port, also if `0` asked for a free one. */
  readonly port: number;
  /** For `createClient(server.connection)`. */
  readonly connection: {
    readonly url: string;
    readonly retry: 0;
    readonly transport: undefined;
    /** 0, as in `mock.connection`. */
    readonly graceMs: 0;
    /** True if the port serves only the gateway; otherwise undefined. */
    readonly gateway?: true;
  };
  /** The console; undefined unless `console: true` asked for it. */
  readonly console: ServedConsole | undefined;
  /**
   * `mock.env()` with this server's URL: the environment variables of a program next to a sidecar, for `fromEnv` or a
   * child process. With `tokenFile`, writes a new token of the configured user to that file, readable by its owner
   * only, and sets `ARANGO_TOKEN` to its path; call it again to renew the token. A gateway has no
   * `INTEGRATION_HTTP_ADDRESS_FULL`.
   */
  env(options?: { readonly tokenFile?: string | undefined }): Promise<Record<string, string>>;
  /** Frees the port. Responses in flight get half a second to finish. */
  close(): Promise<void>;
}

const graceMs = 500;

function readOptions(options: ListenOptions) {
  const read = readFields(options, 'options', readListenOptions);
  const { cors: origins = [], console: wantsConsole = false, gateway = false } = read;
  const cors = createCors(origins);
  const callers = { origins, allowedHosts: readAllowedHosts(read.allowedHosts) };
  return { ...listeningAddress(read), cors, callers, wantsConsole, gateway, timeouts: waitTimes(read) };
}

/** Serves a mock on a local port. `loadConsole` loads the console, and is called if the options ask for it. */
export async function listenWith(
  mock: Mock,
  options: ListenOptions,
  loadConsole: () => Promise<OpenConsole>,
): Promise<MockServer> {
  readMock(mock);
  const { port, host, cors, callers, wantsConsole, gateway, timeouts } = readOptions(options);
  const served: Mock = gateway ? Object.create(mock, { handle: { value: mock.parts.handleAtGateway } }) : mock;
  const links = createLinks();
  let local = true;
  let url = '';
  let bound = 0;
  const checkHost = createHostCheck(callers, () => local);
  let closing: Promise<void> | undefined;

  const { allowedHosts } = callers;
  const access = { allowedHosts, needsKey: () => !local, port: () => bound };
  const openConsole = wantsConsole ? await loadConsole() : undefined;
  const consolePort = openConsole?.(mock, () => url, access);
  const http1 = createHttp1(served, links, { cors, checkHost, timeouts, consolePort });
  const server = serveBothVersions(
    http1,
    () => createHttp2(served, links, checkHost, consolePort).on('connection', links.hand),
    timeouts,
  );
  server.on('connection', links.add);

  const address = await listenAt(server, { port, host }).catch((error: unknown) => {
    consolePort?.close();
    throw error;
  });
  local = isLoopbackAddress(address.address);

  url = `http://${formatAddress(address)}`;
  bound = address.port;
  const { portUrls } = mock.parts;
  portUrls.add(url);

  function shut(): Promise<void> {
    forget();
    portUrls.delete(url);
    consolePort?.close();
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
    connection: { url, retry: 0, transport: undefined, graceMs: 0, ...(gateway && { gateway }) },
    console: consolePort && { url: `${url}/_console/`, key: local ? undefined : consolePort.key },
    async env({ tokenFile } = {}) {
      const { INTEGRATION_HTTP_ADDRESS_FULL: address = url, ...others } = neighbourVariables(mock.settings, url);
      const variables = { ...others, ...(!gateway && { INTEGRATION_HTTP_ADDRESS_FULL: address }) };
      if (tokenFile === undefined) return variables;
      await writeToken(tokenFile, await mock.tokens.issue());
      return { ...variables, ARANGO_TOKEN: tokenFile };
    },
    close,
    [asyncDispose]: close,
  };
}
