// Names of hosts in requests, as `Host` and `Origin` have them.

/** The host of an authority (`localhost:8529`), as URL normalizes it; undefined if it is not valid. */
export function hostOf(authority: string): string | undefined {
  if (/[/?#@\\\s]/.test(authority) || !URL.canParse(`http://${authority}`)) return undefined;
  return new URL(`http://${authority}`).hostname.replace(/\.$/, '');
}

/** True for `localhost`, its subdomains and loopback addresses. */
export function isLoopback(host: string): boolean {
  return /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/.test(host);
}
