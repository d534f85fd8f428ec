import { useEffect } from 'preact/hooks';
import { type Place, readPlace, writePlace } from '../fragment.js';
import type { Value } from './value.js';

/** Keeps a place and the address's fragment the same. Another view is a step of the history, another filter is not. */
export function usePlace(place: Value<Place>): void {
  useEffect(() => {
    const read = () => {
      if (location.hash !== writePlace(place.get())) place.set(readPlace(location.hash));
    };
    const write = () => {
      const fragment = writePlace(place.get());
      if (fragment === location.hash) return;
      const isOtherView = readPlace(location.hash).view !== place.get().view && location.hash !== '';
      history[isOtherView ? 'pushState' : 'replaceState'](null, '', fragment);
    };
    addEventListener('hashchange', read);
    const unwatch = place.watch(write);
    return () => {
      removeEventListener('hashchange', read);
      unwatch();
    };
  }, [place]);
}
