import type { IncomingMessage, ServerResponse } from 'node:http';
import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Mock } from '../../mock.js';

/** Answers the requests to a Node server that are for the console. */
export interface NodePort {
  /** Returns false if the request is not for the console. */
  http1(request: IncomingMessage, outgoing: ServerResponse): boolean;
  /** Returns false if the request is not for the console. */
  http2(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): boolean;
}

export interface AccessOptions {
  /** Host names besides loopback and addresses. */
  readonly allowedHosts: readonly string[];
  /** True if a caller needs the printed key. Asked for each request, because the address is known late. */
  needsKey(): boolean;
  /** Part of the cookie's name, since browsers send a host's cookies to each of its ports. */
  port(): number;
}

export interface ConsolePort extends NodePort {
  /** The key to print, for consoles that need one. */
  readonly key: string;
}

/**
 * Opens the console of a mock on a port, whose base URL is `url`. The mock does not import the console: the entry of
 * `arango-services/mock/node` hands it in.
 */
export type OpenConsole = (mock: Mock, url: () => string, access: AccessOptions) => ConsolePort & { close(): void };
