import type { CredentialsContext, TokenListener } from '../connection/credentials-contract.js';
import { quietly } from '../lib/quietly.js';

/** Tells listeners of the new tokens of each client. */
export class TokenNews {
  readonly #known = new WeakMap<CredentialsContext, { last?: string; readonly listeners: Set<TokenListener> }>();

  /** Calls a listener with each new token of a client; returns a function that ends this. */
  readonly onToken = (context: CredentialsContext, listener: TokenListener): (() => void) => {
    const { listeners } = this.#of(context);
    // A listener that is added twice is called twice.
    const one: TokenListener = (token) => listener(token);
    listeners.add(one);
    return () => void listeners.delete(one);
  };

  /** Tells of the value of an `Authorization` header, unless it is known. A failing listener stops nothing. */
  tell(context: CredentialsContext, value: string): void {
    const known = this.#of(context);
    if (known.last === value) return;
    known.last = value;
    for (const listener of [...known.listeners]) void quietly(() => listener(value.slice('Bearer '.length)));
  }

  #of(context: CredentialsContext) {
    const known = this.#known.get(context) ?? { listeners: new Set() };
    this.#known.set(context, known);
    return known;
  }
}
