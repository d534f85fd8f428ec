import { useEffect } from 'preact/hooks';
import { type Place, readPlace, takeKey, writePlace } from '../fragment.js';
import type { Value } from './value.js';

/** Marks the entries of the history that the page itself has made. */
const own = 'console';

/** Keeps a place and the address's fragment the same. Another view is a step of the history, another filter is not. */
export function usePlace(place: Value<Place>): void {
  useEffect(() => {
    const read = () => {
      if (takeKey() !== undefined) return write();
      const next = readPlace(location.hash);
      const { shared } = place.get();
      // A step back keeps the state of the playground; an address that was pasted brings another one.
      if (next.shared !== shared && history.state !== own) location.reload();
      else if (location.hash !== writePlace(place.get())) place.set({ ...next, shared });
    };
    const write = () => {
      const fragment = writePlace(place.get());
      if (fragment === location.hash) return;
      const isOtherView = readPlace(location.hash).view !== place.get().view && location.hash !== '';
      history[isOtherView ? 'pushState' : 'replaceState'](own, '', fragment);
    };
    addEventListener('hashchange', read);
    const unwatch = place.watch(write);
    return () => {
      removeEventListener('hashchange', read);
      unwatch();
    };
  }, [place]);
}
