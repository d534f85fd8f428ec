import { type Family, type NeutralRequest, type ReadableHeaders, type RequestStream, ServiceFailure } from './http.js';
import { familyOf } from './path-rules.js';

/** The named parts of a path, decoded; `*` is the part that a trailing wildcard matched. */
export type Params = Readonly<Record<string, string>>;

// Keeps a byte order mark: for the services it is not part of JSON, and bodies that arrive as text keep it, too.
const strictUtf8 = { fatal: true, ignoreBOM: true };

/** Decodes a body; throws if it is not UTF-8. */
export const decodeBody = (body: string | Uint8Array | undefined): string =>
  typeof body === 'object' ? new TextDecoder('utf-8', strictUtf8).decode(body) : (body ?? '');

/** A decision made for a request: may its subject do the action on the resource? */
export interface RequestDecision {
  readonly action: string;
  readonly resource: string;
  readonly effect: 'Allow' | 'Deny';
}

/** One request on its way through the mock, with all that is known of it. The body is decoded lazily, and once. */
export class Exchange {
  readonly request: NeutralRequest;
  /** The headers as the gateway passes them on; the request's own are what the log shows. */
  headers: ReadableHeaders;
  readonly family: Family;
  /** False for the paths of the integration services at a gateway. */
  readonly isRouted: boolean;
  /** The epoch in which the request began; once it is over, the request changes, logs and counts nothing. */
  readonly began: AbortSignal;
  /** The epoch whose end cuts the request off; a later one if its own handler restored the mock. */
  epoch: AbortSignal;
  /** True if the time that the caller allows in `grpc-timeout` is over. */
  isLate = false;
  /** The body, if the adapter passes it on as a stream. */
  readonly stream: RequestStream | undefined;
  /** Aborted when the caller gives up. */
  readonly signal: AbortSignal | undefined;
  /** The length of the body, in bytes or characters. */
  readonly length: number;
  params: Params = {};
  /** The user that sent it or that it is about, for the request log. */
  user: string | undefined;
  /** The groups of its token, or the roles of its question, for the request log. */
  groups: readonly string[] = [];
  /** The decision that its answer reports or follows from, for the request log. */
  decision: 'Allow' | 'Deny' | undefined;
  /** The decisions made for the request, for the request log. */
  readonly decisions: RequestDecision[] = [];
  /** The claims of its bearer token, if a key of the mock signed it, for the request log. */
  claims: ReadonlyMap<string, unknown> | undefined;
  /** An unexpected error of a handler, for the request log. */
  thrown: unknown;
  #text: string | undefined;
  #parsed: { readonly value: unknown } | undefined;

  constructor(request: NeutralRequest, isRouted: boolean, began: AbortSignal, signal?: AbortSignal) {
    this.request = request;
    this.stream = request.stream;
    this.signal = signal;
    this.headers = request.headers;
    this.isRouted = isRouted;
    this.family = isRouted ? familyOf(request.path) : 'database';
    this.began = began;
    this.epoch = began;
    this.length = request.body?.length ?? 0;
  }

  /** The body as it takes the least memory: as text if it was decoded, else as it arrived. */
  get kept(): string | Uint8Array | undefined {
    return this.#text || this.request.body;
  }

  /** Takes the body as text; after that it is empty. */
  takeText(): string {
    const { text } = this;
    this.#text = '';
    return text;
  }

  /** The body as text; empty when there is none. Throws InvalidArgument if it is not UTF-8. */
  get text(): string {
    this.#text ??= this.#decode();
    return this.#text;
  }

  /** The body as JSON; an empty one is `undefined`. Throws InvalidArgument if it is not JSON. */
  get json(): unknown {
    this.#parsed ??= { value: this.#parse() };
    return this.#parsed.value;
  }

  #decode(): string {
    try {
      return decodeBody(this.request.body);
    } catch {
      throw new ServiceFailure(3, 'invalid UTF-8 in the body');
    }
  }

  #parse(): unknown {
    const { text } = this;
    if (text === '') return undefined;
    try {
      return JSON.parse(text);
    } catch {
      if (text.trim() === '') return undefined;
      // The engine's own message quotes the body.
      throw new ServiceFailure(3, 'the body is not valid JSON');
    }
  }
}
