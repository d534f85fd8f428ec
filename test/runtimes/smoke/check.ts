import { type Client, type ClientOptions, createClient, credentials } from 'arango-services';
import { expect } from 'vitest';
import type { Platform } from '../platform.ts';

/** A check that must pass in every runtime. */
export interface Smoke {
  readonly name: string;
  /** The only place that can run it. Default everywhere. */
  readonly only?: Platform['kind'];
  run(platform: Platform): unknown;
}

/** A client that may do everything, of the database `shop`. */
export function clientOf({ connection, token }: Platform, options: Partial<ClientOptions> = {}): Client {
  return createClient({ ...connection, database: 'shop', credentials: credentials.bearer(token), ...options });
}

/** The mock's echo of a request. */
export interface Echo {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The echo in a response's `body`. */
export const echoed = ({ body }: { readonly body: unknown }): Echo => body as Echo; // The mock's own format.

/** The error that a call fails with. */
export async function failure(call: Promise<unknown>): Promise<Error & Readonly<Record<string, unknown>>> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error, 'the call should have failed').toBeInstanceOf(Error);
  return error as Error & Readonly<Record<string, unknown>>; // The cast: it is an Error, whose fields tests read.
}

/** True in a browser page, which hides redirects and sends preflight requests. */
export const isPage = (): boolean => 'document' in globalThis;

export const streamOf = (...chunks: readonly string[]): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });
