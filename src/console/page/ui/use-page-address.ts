import { useEffect } from 'preact/hooks';
import { AddressEvent, type PageAddress, readPageAddress, takeKey, writePageAddress } from '../fragment.js';
import type { Value } from './value.js';

/**
 * Keeps the URL's fragment equal to the page's address. A change of view adds a history entry, a change of filters does
 * not.
 */
export function usePageAddress(address: Value<PageAddress>): void {
  useEffect(() => {
    const read = () => {
      if (takeKey() !== undefined) return write();
      if (location.hash !== writePageAddress(address.get())) address.set(readPageAddress(location.hash));
    };
    const write = () => {
      const fragment = writePageAddress(address.get());
      if (fragment === location.hash) return;
      const isOtherView = readPageAddress(location.hash).view !== address.get().view && location.hash !== '';
      history[isOtherView ? 'pushState' : 'replaceState'](null, '', fragment);
    };
    const show = (event: Event) => {
      if (event instanceof AddressEvent) address.set(event.address);
    };
    addEventListener('hashchange', read);
    addEventListener(AddressEvent.type, show);
    const unwatch = address.watch(write);
    return () => {
      removeEventListener('hashchange', read);
      removeEventListener(AddressEvent.type, show);
      unwatch();
    };
  }, [address]);
}
