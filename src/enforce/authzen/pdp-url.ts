import { type Reader, refuse } from '../../base/lib/readers.js';
import { readBase } from '../../base/lib/url.js';
import type { PdpUrl } from '../../policy/authzen-protocol/pdp-endpoints.js';

const loopback = /^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Reads the identifier of a PDP: https, or http on loopback, without query and fragment. */
export const readPdpUrl: Reader<PdpUrl> = (value, reading) => {
  const before = reading.issues.length;
  const base = readBase(value, reading);
  if (reading.issues.length > before) return base;
  const { protocol, hostname } = new URL(base.origin);
  const isSafe = protocol === 'https:' || loopback.test(hostname);
  return isSafe && base.query === '' ? base : refuse(reading, 'an https: URL (or loopback) without a query', value);
};
