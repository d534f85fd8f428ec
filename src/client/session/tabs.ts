/**
 * A message to other tabs: the user signed out (`end`), the session was given up (`expired`, `refused`, `lost`), or the
 * store contains another session (`change`). It contains a version, and never more.
 */
export type News = { readonly kind: 'end' | 'expired' | 'refused' | 'lost' | 'change'; readonly version: number };

/** The other tabs with a session of the same name. */
export type Tabs = { post(news: News): void; close(): void };

/** The messages and events that a tab listens to. */
export interface TabListeners {
  hear(news: News): void;
  /** Called after another tab wrote to `localStorage`. */
  look(): void;
}

export const formatNews = ({ kind, version }: News): string => `${kind} ${version}`;

/** Parses a message; undefined if it was sent by other code of the page. */
export function parseNews(text: unknown): News | undefined {
  const [, kind, version] = /^(end|expired|refused|lost|change) (\d+(?:\.\d+)?)$/.exec(String(text)) ?? [];
  // The cast: the pattern names the kinds.
  return kind ? { kind: kind as News['kind'], version: Number(version) } : undefined;
}

/** Opens a channel to other tabs; undefined if there is none, or the browser blocks it. */
function openChannel(name: string): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel(name);
  } catch {
    return undefined;
  }
}

/** Adds a listener for events of the page. Returns a function that removes it. */
export function listen(events: readonly string[], listener: (event: never) => void): () => void {
  // The cast: each caller knows the type of its events. Capturing listeners of a window run first; workerd has none.
  const args = [listener as EventListener, { capture: 'document' in globalThis }] as const;
  // Only pages have these events.
  for (const name of events) globalThis.addEventListener?.(name, ...args);
  return () => {
    for (const name of events) globalThis.removeEventListener?.(name, ...args);
  };
}

/** True while no part of the page can be seen; false outside pages. */
export const isPageHidden = (): boolean => globalThis.document?.visibilityState === 'hidden';

/** Calls a listener when the browser suspends or resumes the page, until the returned function is called. */
export function watchPage(listener: (isResumed: boolean) => void): () => void {
  if (!('document' in globalThis)) return () => undefined;
  return listen(['pagehide', 'pageshow', 'freeze', 'resume'], ({ type, persisted }: PageTransitionEvent) => {
    if (persisted !== false) listener(type === 'pageshow' || type === 'resume');
  });
}

/** Listens to messages of other tabs (by BroadcastChannel or `localStorage`), and to writes to its entries. */
export function openTabs(name: string, entries: readonly string[], { hear, look }: TabListeners): Tabs {
  const newsKey = `news ${name}`;
  const receive = (text: unknown) => {
    const news = parseNews(text);
    if (news) hear(news);
  };
  const stop = listen(['storage'], ({ key, newValue }: StorageEvent) => {
    if (key === newsKey) receive(newValue);
    // A null key means that the whole storage was cleared.
    else if (key === null || entries.includes(key)) look();
  });
  const channel = openChannel(name);
  if (channel) {
    channel.onmessage = ({ data }) => receive(data);
    // In Node an open channel would keep the process alive.
    (channel as { unref?(): void }).unref?.();
  }
  return {
    post(news) {
      if (channel) return channel.postMessage(formatNews(news));
      localStorage.setItem(newsKey, formatNews(news));
      localStorage.removeItem(newsKey);
    },
    close() {
      stop();
      channel?.close();
    },
  };
}
