/** News for other tabs: the user signed out, or something else changed. Never more than that. */
export type News = 'end' | 'change';

/** The tabs that share the name of a session. */
export interface Tabs {
  tell(news: News): void;
  close(): void;
}

function overChannel(name: string, hear: (news: unknown) => void): Tabs {
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }) => hear(data);
  // In Node an open channel would keep the process alive.
  (channel as { unref?(): void }).unref?.();
  return { tell: (news) => channel.postMessage(news), close: () => channel.close() };
}

/** Fallback for engines without BroadcastChannel: `storage` events, which only other tabs receive. */
function overStorageEvents(name: string, hear: (news: unknown) => void): Tabs {
  const listen = ({ key, newValue }: StorageEvent) => {
    if (key === name && newValue) hear(newValue);
  };
  globalThis.addEventListener?.('storage', listen);
  return {
    tell(news) {
      localStorage.setItem(name, news);
      localStorage.removeItem(name);
    },
    close: () => globalThis.removeEventListener?.('storage', listen),
  };
}

/**
 * Calls back when the browser shows the page again from its back/forward cache, where it has missed all messages.
 * Returns a function that removes the listener.
 */
export function onReturn(back: () => void): () => void {
  const listen = ({ persisted }: PageTransitionEvent) => {
    if (persisted) back();
  };
  // Only pages have this event.
  const page = 'document' in globalThis ? globalThis : undefined;
  page?.addEventListener?.('pageshow', listen);
  return () => page?.removeEventListener?.('pageshow', listen);
}

/** Listens to other tabs, over BroadcastChannel if there is one; undefined if the browser blocks it. */
export function openTabs(name: string, hear: (news: unknown) => void): Tabs | undefined {
  try {
    return ('BroadcastChannel' in globalThis ? overChannel : overStorageEvents)(name, hear);
  } catch {
    return undefined;
  }
}
