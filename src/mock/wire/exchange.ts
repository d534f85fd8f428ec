import { type Family, type NeutralRequest, ServiceFailure } from './http.js';

/** The parts of a path that a pattern names, decoded; `*` is what a trailing wildcard matched. */
export type Params = Readonly<Record<string, string>>;

// A byte order mark stays: to the services it is no part of JSON, and text that arrives as text keeps it as well.
const strictUtf8 = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Whether a body is larger than so many bytes, looking no further than needed. */
export function isLarger(body: string | Uint8Array | undefined, bytes: number): boolean {
  if (body === undefined) return false;
  if (typeof body !== 'string') return body.byteLength > bytes;
  // A UTF-16 unit is one to three bytes of UTF-8.
  if (body.length > bytes) return true;
  return body.length * 3 > bytes && new TextEncoder().encode(body).byteLength > bytes;
}

/** A decision that was made for a request: whether its subject may do the action on the resource. */
export interface MadeDecision {
  readonly action: string;
  readonly resource: string;
  /** `Allow` or `Deny`. */
  readonly effect: 'Allow' | 'Deny';
}

/**
 * One request on its way through the mock: what was found out about it so far. The body is decoded once, when it is
 * asked for.
 */
export class Exchange {
  request: NeutralRequest;
  readonly family: Family;
  /** The epoch in which the request began; once it is over, the request changes, logs and counts nothing. */
  readonly began: AbortSignal;
  /** The epoch with whose end the request is cut off: a later one once its own handler has restored the mock. */
  epoch: AbortSignal;
  /** The length of the body, in bytes or characters. */
  readonly length: number;
  params: Params = {};
  /** Who it turned out to be; for the request log. */
  user: string | undefined;
  /** The decision that its answer tells or follows; for the request log. */
  decision: 'Allow' | 'Deny' | undefined;
  /** Each decision that was made on the way; for the request log. */
  readonly decisions: MadeDecision[] = [];
  /** What a handler threw without meaning to; for the request log. */
  thrown: unknown;
  #text: string | undefined;
  #parsed: { readonly value: unknown } | undefined;

  constructor(request: NeutralRequest, family: Family, began: AbortSignal) {
    this.request = request;
    this.family = family;
    this.began = began;
    this.epoch = began;
    this.length = request.body?.length ?? 0;
  }

  /**
   * Lets go of what was read from the body, once the request is answered; also of the body itself where nobody will see
   * it.
   */
  release(body: boolean): void {
    if (body) this.request = { ...this.request, body: undefined };
    this.#text = undefined;
    this.#parsed = undefined;
  }

  /** The body as text; empty when there is none. Throws InvalidArgument for what is not UTF-8. */
  get text(): string {
    this.#text ??= this.#decode();
    return this.#text;
  }

  /** The body as JSON; an empty one is `undefined`. Throws InvalidArgument for what is not JSON. */
  get json(): unknown {
    this.#parsed ??= { value: this.#parse() };
    return this.#parsed.value;
  }

  #decode(): string {
    const { body } = this.request;
    if (body === undefined || typeof body === 'string') return body ?? '';
    try {
      return strictUtf8.decode(body);
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
