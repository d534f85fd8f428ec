import { rename, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { asyncDispose } from '../../../lib/fallbacks.js';
import { neighbourVariables } from '../../config/neighbour.js';
import type { Mock } from '../../create-mock.js';
import { refuseUnknown } from '../../kit/filter.js';
import type { NeutralResponse } from '../../wire/http.js';
import { type Cors, createCors } from '../cors.js';
import { formatAddress, listenAt, type Place, readPlace } from './place.js';
import { NodeHeaders, neutralRequest } from './request.js';
import { sendReply } from './response.js';

export type { Place } from './place.js';

/** Where a mock listens. */
export interface ListenOptions extends Place {
  /** The origins of the pages that may call, like `['http://localhost:5173']`. Default none. */
  readonly cors?: readonly string[] | undefined;
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
   * `mock.env()` with this server's URL: what a program beside the services would see, for `fromEnv` or as a child process's
   * variables. With `tokenFile`, a new token of the configured user is written to that file, for its owner only, and
   * `ARANGO_TOKEN` names it; call it again to renew the token.
   */
  env(options?: { readonly tokenFile?: string | undefined }): Promise<Record<string, string>>;
  /** Frees the port. Answers that are under way get half a second. */
  close(): Promise<void>;
}

/** What is known of one connection: how many answers it waits for, and a signal for when it breaks. */
interface Link {
  readonly gone: AbortController;
  pending: number;
}

const graceMs = 500;
// Longer than any client keeps an idle connection, so that it never writes into one that is just being closed.
const keepAliveTimeout = 120_000;
// As the services do: a token of a megabyte is answered, not cut off.
const maxHeaderSize = 2 ** 20 + 4_096;

function readOptions(options: ListenOptions): { port: number; host: string; cors: Cors | undefined } {
  refuseUnknown(options, ['port', 'host', 'cors'], 'options');
  return { ...readPlace(options), cors: createCors(options.cors ?? []) };
}

/** Replaces a token file in one step: whoever reads it finds the old token or the new one, never half of one. */
async function writeToken(file: string, token: string): Promise<void> {
  const fresh = `${file}.${crypto.randomUUID()}`;
  await writeFile(fresh, token, { mode: 0o600 });
  await rename(fresh, file);
}

/**
 * Serves a mock on a port of this machine, until `close`, or until the server or the mock is disposed.
 * @throws InvalidArgumentError for a wrong option. Rejects with Node's own error where the port cannot be had (`EADDRINUSE`).
 */
export async function listen(mock: Mock, options: ListenOptions = {}): Promise<MockServer> {
  const { port, host, cors } = readOptions(options);
  const { bodyBytes } = mock.settings.limits;
  const links = new Map<Socket, Link>();
  let closing: Promise<void> | undefined;

  function answer(
    request: IncomingMessage,
    response: ServerResponse,
    link: Link,
    began: AbortSignal,
    body?: Buffer,
  ): void {
    const settle = (reply: NeutralResponse): void => {
      sendReply(request, response, reply, cors?.headersFor(new NodeHeaders(request.headers), reply));
      link.pending -= 1;
      if (closing !== undefined && link.pending === 0) request.socket.destroySoon();
    };
    const reply = mock.handle(neutralRequest(request, body), link.gone.signal, began);
    if (reply instanceof Promise) void reply.then(settle);
    else settle(reply);
  }

  const server = createServer({ keepAliveTimeout, maxHeaderSize, joinDuplicateHeaders: true }, (request, response) => {
    const link = links.get(request.socket);
    if (link === undefined) return void response.destroy();
    const preflight = cors?.preflight(request.method ?? '', new NodeHeaders(request.headers));
    if (preflight !== undefined) return sendReply(request, response, preflight, undefined);
    link.pending += 1;
    const began = mock.epoch;
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
    if (length === '0' && encoding === undefined) return answer(request, response, link, began);
    const chunks: Buffer[] = [];
    let left = bodyBytes;
    request.on('data', (chunk: Buffer) => {
      if (left < 0) return; // Answered already; the rest is read so that the connection stays usable, but not kept.
      chunks.push(chunk);
      left -= chunk.length;
      if (left < 0) answer(request, response, link, began, Buffer.concat(chunks, bodyBytes + 1));
    });
    request.once('end', () => {
      if (left >= 0) answer(request, response, link, began, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks));
    });
  });
  server.on('connection', (socket) => {
    const link: Link = { gone: new AbortController(), pending: 0 };
    links.set(socket, link);
    socket.once('close', () => {
      links.delete(socket);
      link.gone.abort();
    });
  });

  const address = await listenAt(server, { port, host });

  function shut(): Promise<void> {
    forget();
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        for (const socket of links.keys()) socket.destroy();
      }, graceMs);
      server.close(() => {
        clearTimeout(timer);
        resolve();
      });
      for (const [socket, { pending }] of links) if (pending === 0) socket.destroySoon();
    });
  }
  const close = (): Promise<void> => {
    closing ??= shut();
    return closing;
  };
  const forget = mock.onDispose(close);

  const url = `http://${formatAddress(address)}`;
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
