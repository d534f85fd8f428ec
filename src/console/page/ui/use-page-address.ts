import { useEffect } from 'preact/hooks';
import { type PageAddress, readPageAddress, takeKey, writePageAddress } from '../fragment.js';
import type { Value } from './value.js';

/** Marks the entries of the history that the page itself has made. */
const marker = 'console';

/**
 * Keeps an address and the fragment of the URL the same. Another view is a step of the history, another filter is not.
 */
export function usePageAddress(address: Value<PageAddress>): void {
  useEffect(() => {
    const read = () => {
      if (takeKey() !== undefined) return write();
      const next = readPageAddress(location.hash);
      const { shared } = address.get();
      // A step back keeps the state of the playground; an address that was pasted brings another one.
      if (next.shared !== shared && history.state !== marker) location.reload();
      else if (location.hash !== writePageAddress(address.get())) address.set({ ...next, shared });
    };
    const write = () => {
      const fragment = writePageAddress(address.get());
      if (fragment === location.hash) return;
      const isOtherView = readPageAddress(location.hash).view !== address.get().view && location.hash !== '';
      history[isOtherView ? 'pushState' : 'replaceState'](marker, '', fragment);
    };
    addEventListener('hashchange', read);
    const unwatch = address.watch(write);
    return () => {
      removeEventListener('hashchange', read);
      unwatch();
    };
  }, [address]);
}
