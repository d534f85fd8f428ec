/**
 * News for other tabs: the user signed out (`end`), the session was given up (`loss`), or another one is in the store
 * (`change`), each with its version. Never more than that.
 */
export interface News {
  readonly kind: 'end' | 'loss' | 'change';
  readonly version: number;
}

/** The tabs that share the name of a session. */
export interface Tabs {
  tell(news: News): void;
  close(): void;
}

/** Listeners of a tab. */
export interface TabListeners {
  hear(news: News): void;
  /** Called after another tab wrote to `localStorage`. */
  look(): void;
}

const format = ({ kind, version }: News): string => `${kind} ${version}`;

/** Parses news; undefined if they come from something else of the page. */
function parse(text: unknown): News | undefined {
  const [, kind, version] = /^(end|loss|change) (\d{1,16}(?:\.\d+)?)$/.exec(String(text)) ?? [];
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

/** Calls back for events of the page. Returns a function that removes the listener. */
function listen(events: readonly string[], listener: (event: never) => void): () => void {
  // The cast: each caller names the type of its events. Capturing listeners of a window come first; workerd has none.
  const args = [listener as EventListener, { capture: 'document' in globalThis }] as const;
  // Only pages have these events.
  for (const name of events) globalThis.addEventListener?.(name, ...args);
  return () => {
    for (const name of events) globalThis.removeEventListener?.(name, ...args);
  };
}

/** Listeners of a page that the browser may stop: in its back/forward cache, or frozen in the background. */
export interface PageListeners {
  stop(): void;
  goOn(): void;
}

/** Calls back when the browser stops the page and when it goes on. Returns a function that removes the listeners. */
export function watchPage({ stop, goOn }: PageListeners): () => void {
  if (!('document' in globalThis)) return () => undefined;
  return listen(['pagehide', 'pageshow', 'freeze', 'resume'], ({ type, persisted }: PageTransitionEvent) => {
    if (persisted === false) return;
    if (type === 'pagehide' || type === 'freeze') stop();
    else goOn();
  });
}

/**
 * Listens to other tabs, over BroadcastChannel or, if there is none, an entry of `localStorage` of its own, and to
 * writes of the given entries of `localStorage`.
 */
export function openTabs(name: string, entries: readonly string[], { hear, look }: TabListeners): Tabs {
  const newsKey = `news ${name}`;
  const receive = (text: unknown) => {
    const news = parse(text);
    if (news) hear(news);
  };
  const stop = listen(['storage'], ({ key, newValue }: StorageEvent) => {
    if (key === newsKey) receive(newValue);
    // Without a key everything was removed.
    else if (key === null || entries.includes(key)) look();
  });
  const channel = openChannel(name);
  if (channel) {
    channel.onmessage = ({ data }) => receive(data);
    // In Node an open channel would keep the process alive.
    (channel as { unref?(): void }).unref?.();
  }
  return {
    tell(news) {
      if (channel) return channel.postMessage(format(news));
      localStorage.setItem(newsKey, format(news));
      localStorage.removeItem(newsKey);
    },
    close() {
      stop();
      channel?.close();
    },
  };
}
