import { quietly } from '../../base/lib/quietly.js';
import type { CredentialsContext, TokenListener } from '../connection/credentials-contract.js';

/** Notifies listeners of the new tokens of each client. */
export class TokenNews {
  /** By client: its listeners, and below undefined the last value that they were notified of. */
  readonly #byClient = new WeakMap<CredentialsContext, Map<TokenListener | undefined, string>>();

  /** Calls a listener with each new token of a client; returns a function that ends this. */
  readonly onToken = (context: CredentialsContext, listener: TokenListener): (() => void) => {
    const values = this.#of(context);
    // A function of its own, since the same listener may be registered twice.
    const own: TokenListener = listener.bind(undefined);
    values.set(own, '');
    return () => void values.delete(own);
  };

  /** Notifies of the value of an `Authorization` header, unless it is the last one. Listeners' failures are ignored. */
  emit(context: CredentialsContext, value: string): void {
    const values = this.#of(context);
    if (values.get(undefined) === value) return;
    values.set(undefined, value);
    for (const listener of [...values.keys()]) quietly(() => listener?.(value.replace('Bearer ', '')));
  }

  #of(context: CredentialsContext) {
    const values = this.#byClient.get(context) ?? new Map<TokenListener | undefined, string>();
    this.#byClient.set(context, values);
    return values;
  }
}
