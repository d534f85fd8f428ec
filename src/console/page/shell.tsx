import { useEffect, useRef, useState } from 'preact/hooks';
import { writePageAddress } from './fragment.js';
import { fileSource } from './log/log-source.js';
import { dismiss, goTo, noteOthers, notify, type PageSession, statusWords, useSession } from './page-session.js';
import { usePageAddress } from './ui/use-page-address.js';
import { useValue } from './ui/value.js';
import { viewsFor } from './views.js';

/** Lays out the navigation bar, the current view and the messages. */
export function Shell() {
  const session = useSession();
  const { overview } = session;
  const address = useValue(session.address);
  const isLive = useValue(session.isLive);
  const replica = useValue(session.replica);
  const heardAt = useValue(session.heardAt);
  const main = useRef<HTMLElement>(null);
  const tabs = useHiddenTabs(address.view);
  usePageAddress(session.address);

  const views = viewsFor(overview.capabilities);
  const view = views.find(({ name }) => name === address.view) ?? views[0];
  const title = view?.title(overview.capabilities);
  useEffect(() => {
    document.title = `${title ?? 'Console'} · arango-services`;
  }, [title]);
  const followed = replica === null || replica.live;
  const now = useNow(!isLive || !followed);
  if (view === undefined) return null;
  const { component: View, name: current } = view;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the field takes the keyboard
    <div
      class="shell"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        // A browser would open the file in place of the page.
        event.preventDefault();
        const files = event.dataTransfer?.files;
        if (files?.[0]) takeDropped(session, files[0], files.length);
      }}
    >
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the view
      </button>
      <header class="bar">
        <div class="brand">
          <img src="icon.svg" alt="" />
          <h1>Console</h1>
        </div>
        <nav class="nav" aria-label="Views" ref={tabs.nav} data-more={tabs.more} onScroll={tabs.measure}>
          {views.map(({ name, title: titleFor }) => (
            <a
              key={name}
              href={writePageAddress({ ...address, view: name, filters: {} })}
              aria-current={name === current ? 'page' : undefined}
              onClick={(event) => {
                if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                event.preventDefault();
                session.address.set({ ...session.address.get(), view: name, filters: {} });
              }}
            >
              {titleFor(overview.capabilities)}
            </a>
          ))}
        </nav>
        <div class="status">
          <span class={`badge ${overview.kind === 'mock' ? 'warn' : 'accent'}`} title={overview.notice}>
            {overview.notice}
          </span>
          <span role="status" title={replica?.words ?? ''} class={isLive && followed ? 'live' : 'live off'}>
            <span>{statusWords(isLive, replica, now - heardAt)}</span>
          </span>
        </div>
      </header>
      <main id="main" class="main" ref={main} tabIndex={-1} aria-label={title}>
        <View key={current} />
      </main>
      <Toasts />
    </div>
  );
}

/** Scrolls the tab of a view into sight, and tells on which sides of the navigation there are more. */
function useHiddenTabs(view: string) {
  const nav = useRef<HTMLElement>(null);
  const [more, setMore] = useState('');
  const measure = () => {
    const { scrollLeft = 0, scrollWidth = 0, clientWidth = 0 } = nav.current ?? {};
    const sides = [scrollLeft > 1 && 'left', scrollLeft + clientWidth < scrollWidth - 1 && 'right'];
    setMore(sides.filter(Boolean).join(' '));
  };
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
    measure();
    addEventListener('resize', measure);
    return () => removeEventListener('resize', measure);
  }, [view]);
  return { nav, more, measure };
}

/** Opens a file that was dropped beside the fields for files: as a decision log, unless its name says otherwise. */
function takeDropped(session: PageSession, file: File, dropped: number): void {
  if (/\.ya?ml$/i.test(file.name)) {
    notify(session, { text: 'Drop a permissions file onto the field for it.', isBad: false });
  } else {
    noteOthers(session, file, dropped);
    session.logs.open(fileSource(file));
    goTo(session, 'log');
  }
}

/** The time, every second while the page shows something old. */
function useNow(isOld: boolean): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!isOld) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isOld]);
  return now;
}

function Toasts() {
  const { toasts } = useSession();
  const messages = useValue(toasts);
  return (
    <div class="toasts" role="status" aria-live="polite">
      {messages.map(({ id, text, isBad, action }) => (
        <div key={id} class={isBad ? 'toast bad' : 'toast'}>
          <span>{text}</span>
          <span class="row">
            {action && (
              <button
                type="button"
                onClick={() => {
                  dismiss(toasts, id);
                  action.run();
                }}
              >
                {action.label}
              </button>
            )}
            <button type="button" aria-label="Dismiss the message" onClick={() => dismiss(toasts, id)}>
              ×
            </button>
          </span>
        </div>
      ))}
    </div>
  );
}
