import { createRequire } from 'node:module';
import { coders, requireEngine } from '../../../base/lib/engine.js';

/**
 * Loads a module of an optional peer. Synchronous, so that a module that uses it can still be loaded by `require`.
 * @param install the package for `npm install`.
 * @throws Error that says what to install if the peer is missing; else the loading error itself.
 */
export function requirePeer(specifier: string, install: string, subpath: string): unknown {
  requireEngine(coders);
  try {
    return createRequire(import.meta.url)(specifier);
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
    // The peer may be there, and lack a package itself.
    const isMissing = /^(?:ERR_)?MODULE_NOT_FOUND$/.test(String(code)) && String(message).includes(specifier);
    if (!isMissing) throw error;
    throw new Error(
      `${subpath} needs ${specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')}: npm install ${install}`,
    );
  }
}
