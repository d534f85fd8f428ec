import { ownBytes } from '../../base/jwt/bytes.js';
import { requireSubtle } from '../../base/jwt/keys.js';
import { stableJson } from '../../base/lib/stable-json.js';
import type { WebKey } from '../../base/lib/web-types.js';

/** The beginning of a page of results. */
export interface PagePosition {
  /** The key of the last result before the page. */
  readonly after: string;
  /** The limit of the search's first page. */
  readonly limit: number;
}

/** Long enough to read the next page, short enough that a leaked token is of little use. */
const lifetimeMs = 600_000;

const hmac = { name: 'HMAC', hash: 'SHA-256' } as const;

// Loaded here and not at import: jose creates coders when it is loaded, and `createPdp` checks for them first.
const loadBase64Url = () => import('../../base/jwt/base64url.js');

/** Text that is the same for equal searches. */
export const searchKey = (kind: string, search: unknown): string => stableJson([kind, search]);

/** Signs page tokens with a key of its own: valid in this process, for one search, for ten minutes. */
export class PageTokens {
  readonly #now: () => number;
  #key: Promise<WebKey> | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Creates the token for the next page of a search. */
  async issue({ after, limit }: PagePosition, search: string): Promise<string> {
    const { encode } = await loadBase64Url();
    const payload = encode(JSON.stringify([after, limit, this.#now() + lifetimeMs]));
    const signature = await requireSubtle().sign(hmac, await this.#readKey(), this.#signed(payload, search));
    return `${payload}.${encode(new Uint8Array(signature))}`;
  }

  /** Reads a token; undefined if it is not valid for this search, or has expired. */
  async read(token: string, search: string): Promise<PagePosition | undefined> {
    const [payload = '', signature = '', ...more] = token.split('.');
    if (more.length > 0) return undefined;
    try {
      const { decode } = await loadBase64Url();
      const signed = this.#signed(payload, search);
      if (!(await requireSubtle().verify(hmac, await this.#readKey(), ownBytes(decode(signature)), signed)))
        return undefined;
      // The cast: this object has signed the payload.
      const [after, limit, until] = JSON.parse(new TextDecoder().decode(decode(payload))) as [string, number, number];
      return this.#now() < until ? { after, limit } : undefined;
    } catch {
      return undefined;
    }
  }

  // The payload has no line break, so the text is unambiguous.
  #signed(payload: string, search: string) {
    return new TextEncoder().encode(`${payload}\n${search}`);
  }

  #readKey(): Promise<WebKey> {
    // The cast: an HMAC key is one key, not a pair.
    this.#key ??= requireSubtle().generateKey(hmac, false, ['sign', 'verify']) as Promise<WebKey>;
    return this.#key;
  }
}
