import { isLoopback } from '../../base/lib/host-names.js';

/**
 * The error in the URL of a service that requests are forwarded to, if any. Without `allowRemote` the service must run
 * on this machine, because it gets the callers' credentials.
 */
export function targetFault(url: unknown, allowRemote: boolean): string | undefined {
  const example = 'expected an origin like "http://127.0.0.1:3000", without path, query and credentials';
  if (typeof url !== 'string' || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return example;
  const { href, origin, hostname } = new URL(url);
  if (href !== `${origin}/`) return example;
  // The names below `localhost` may resolve to another machine.
  const isLocal = isLoopback(hostname) && !hostname.endsWith('.localhost');
  return isLocal || allowRemote
    ? undefined
    : 'expected a loopback address like "http://127.0.0.1:3000"; { allowRemote: true } allows another machine';
}
