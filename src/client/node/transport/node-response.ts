import type { Dispatcher } from 'undici';
import type { ByteStream, Bytes } from '../../../base/lib/web-types.js';
import type { TransportHeaders, TransportResponse } from '../../connection/transport.js';
import { decoderFor } from './decode.js';

type RawHeaders = Record<string, string | string[] | undefined>;

/** The number of buffered bytes at which the socket is paused. */
const mostWaiting = 65_536;

/** The maximum decoded size of an error's body, of which the package reads 1 MiB. */
const mostOfError = 2_097_152;

/** The headers of a response, in undici's form. */
class RawHeaderList implements TransportHeaders {
  readonly #raw: RawHeaders;

  constructor(raw: RawHeaders) {
    this.#raw = raw;
  }

  get(name: string): string | undefined {
    const value = Object.hasOwn(this.#raw, name) ? this.#raw[name] : undefined;
    return Array.isArray(value) ? value.join(', ') : value;
  }

  *[Symbol.iterator](): Generator<[string, string]> {
    for (const [name, value = []] of Object.entries(this.#raw)) {
      for (const text of Array.isArray(value) ? value : [value]) yield [name, text];
    }
  }
}

/** The bytes of a body as they arrive. The socket is paused while they are not read. */
export class Incoming implements AsyncIterable<Uint8Array> {
  readonly #controller: Dispatcher.DispatchController;
  readonly #cut: () => void;
  #chunks: Uint8Array[] = [];
  #waiting = 0;
  #most = mostWaiting;
  #mayPause = true;
  #ended = false;
  #failure: { readonly error: unknown } | undefined;
  /** Wakes the reader that waits for the next chunk or the end. */
  #wake: (() => void) | undefined;

  /** `cut` closes the connection. */
  constructor(controller: Dispatcher.DispatchController, cut: () => void) {
    this.#controller = controller;
    this.#cut = cut;
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#waiting += chunk.length;
    if (this.#waiting > this.#most && this.#mayPause) this.#controller.pause();
    if (this.#most === mostWaiting) this.#wake?.();
  }

  /** Takes the rest, because the server closes the connection: paused, undici 7 would end the process. */
  takeAll(): void {
    this.#mayPause = false;
    this.#controller.resume();
  }

  end(failure?: { readonly error: unknown }): void {
    this.#ended = true;
    this.#failure = failure;
    this.#wake?.();
  }

  /** Reads the whole body. A small one has arrived with its headers, and costs no promise. */
  all(): Buffer | Promise<Buffer> {
    this.#most = Number.POSITIVE_INFINITY;
    return this.#ended ? this.#joined() : this.#rest();
  }

  async #rest(): Promise<Buffer> {
    while (!this.#ended) await this.#more();
    return this.#joined();
  }

  #joined(): Buffer {
    if (this.#failure) throw this.#failure.error;
    const [first, ...rest] = this.#chunks;
    this.#chunks = [];
    if (first !== undefined && rest.length === 0) return first as Buffer;
    return Buffer.concat(first === undefined ? [] : [first, ...rest]);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift();
        if (chunk !== undefined) {
          this.#waiting -= chunk.length;
          yield chunk;
        } else if (this.#failure) throw this.#failure.error;
        else if (this.#ended) return;
        else await this.#more();
      }
    } finally {
      this.cancel();
    }
  }

  /** Discards the rest of the body; its connection cannot be reused. */
  cancel(): void {
    if (!this.#ended) this.#cut();
  }

  #more(): Promise<void> {
    const arrived = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#controller.resume();
    return arrived;
  }
}

async function collect(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Frees the connections of responses whose stream was garbage-collected, as `fetch` does. */
export type Unread = FinalizationRegistry<Incoming>;

/** The beginning of a response. */
type ResponseHead = { readonly status: number; readonly statusText: string; readonly headers: RawHeaders };

/** A response over undici. */
export class NodeResponse implements TransportResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: TransportHeaders;
  readonly url: string;
  readonly redirected = false;
  readonly type = 'basic';
  readonly #incoming: Incoming | undefined;
  readonly #unread: Unread;
  readonly #decode: ReturnType<typeof decoderFor>;

  /**
   * `incoming` is undefined if the response has no body.
   * @throws Error for too many content codings.
   */
  constructor(
    { status, statusText, headers }: ResponseHead,
    url: string,
    incoming: Incoming | undefined,
    unread: Unread,
  ) {
    this.status = status;
    this.statusText = statusText;
    this.headers = new RawHeaderList(headers);
    this.url = url;
    this.#incoming = incoming;
    this.#unread = unread;
    const encoding = this.headers.get('content-encoding');
    this.#decode = encoding ? decoderFor(encoding, status < 400 ? undefined : mostOfError) : undefined;
  }

  get body(): ByteStream | null {
    if (this.#incoming === undefined) return null;
    // Only the stream holds this response for long, so both are garbage-collected together.
    this.#unread.register(this, this.#incoming);
    const chunks = (this.#decode ? this.#decode(this.#incoming) : this.#incoming)[Symbol.asyncIterator]();
    return new ReadableStream<Bytes>(
      {
        async pull(controller) {
          const { done, value } = await chunks.next();
          if (done) controller.close();
          // A copy, because the socket's buffer holds more than this chunk.
          else controller.enqueue(new Uint8Array(value));
        },
        cancel: () => {
          this.#incoming?.cancel();
          // Closes the decoders.
          chunks.return?.().catch(() => undefined);
        },
      },
      { highWaterMark: 0 },
    );
  }

  async text(): Promise<string> {
    const text = (await this.#whole()).toString('utf8');
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  }

  async bytes(): Promise<Bytes> {
    return new Uint8Array(await this.#whole());
  }

  async blob(): Promise<Blob> {
    return new Blob([await this.bytes()], { type: this.headers.get('content-type') ?? '' });
  }

  async upTo(most: number): Promise<Bytes> {
    const chunks: Uint8Array[] = [];
    let left = most;
    const incoming = this.#incoming;
    if (incoming !== undefined) {
      for await (const chunk of this.#decode ? this.#decode(incoming) : incoming) {
        chunks.push(chunk.subarray(0, left));
        left -= chunk.length;
        // Ends the iteration, which discards the rest.
        if (left <= 0) break;
      }
    }
    return new Uint8Array(Buffer.concat(chunks));
  }

  #whole(): Buffer | Promise<Buffer> {
    if (this.#incoming === undefined) return Buffer.alloc(0);
    return this.#decode === undefined ? this.#incoming.all() : collect(this.#decode(this.#incoming));
  }
}
