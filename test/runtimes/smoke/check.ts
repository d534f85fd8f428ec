import { type Client, type ClientOptions, createClient, credentials } from 'arango-services';
import { expect } from 'vitest';
import type { Platform } from '../platform.ts';

/** One thing that has to hold in every runtime. */
export interface Smoke {
  readonly name: string;
  /** Where it can be seen only there. Default everywhere. */
  readonly only?: Platform['kind'];
  run(platform: Platform): unknown;
}

/** A client that may do everything, of the database `shop`. */
export function clientOf({ connection, token }: Platform, options: Partial<ClientOptions> = {}): Client {
  return createClient({ ...connection, database: 'shop', credentials: credentials.bearer(token), ...options });
}

/** What the mock's echo tells of a request. */
export interface Echo {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The echo's answer as it comes in `body`. */
export const echoed = ({ body }: { readonly body: unknown }): Echo => body as Echo; // The mock's own form.

/** The error that a call fails with. */
export async function failure(call: Promise<unknown>): Promise<Error & Readonly<Record<string, unknown>>> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error, 'the call should have failed').toBeInstanceOf(Error);
  return error as Error & Readonly<Record<string, unknown>>; // Just seen to be an Error; its fields are what tests read.
}

/** Whether this is a page of a browser: it hides redirects and asks other origins first. */
export const isPage = (): boolean => 'document' in globalThis;

export const streamOf = (...chunks: readonly string[]): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });
