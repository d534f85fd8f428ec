import { causesOf } from '../../base/lib/causes.js';

/** Codes of failures before a connection was there, so that nothing was sent. Those of Bun are words. */
const unsent =
  /^(?:ECONNREFUSED|ConnectionRefused|ENOTFOUND|EAI_AGAIN|E(?:HOST|NET)(?:UNREACH|DOWN)|UND_ERR_CONNECT_TIMEOUT)$/;

/** The fields of a runtime's error that tell when it failed. */
type Unsent = { readonly code?: unknown; readonly syscall?: unknown; readonly errors?: unknown };

/**
 * True for a failure before a connection was there. The words of an error without a code prove nothing: Deno's `fetch`
 * sends a request again by itself when a kept connection breaks, so its refusal may follow a request that arrived.
 */
export function isUnsent(error: unknown): boolean {
  try {
    return causesOf(error).some((cause) => {
      const { code, syscall, errors } = cause as Unsent;
      // A host with several addresses: each attempt has an error of its own.
      if (Array.isArray(errors) && errors.length > 0) return errors.every(isUnsent);
      return syscall === 'connect' || syscall === 'bind' || (typeof code === 'string' && unsent.test(code));
    });
  } catch {
    // A getter of a foreign error threw.
    return false;
  }
}
