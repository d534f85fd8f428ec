import { useEffect, useState } from 'preact/hooks';
import { ConsoleError } from '../console-error.js';
import { follow } from './follow.js';
import { takeKey } from './fragment.js';
import { type Backend, openSession } from './open-session.js';
import { type PageSession, SessionContext } from './page-session.js';
import { Shell } from './shell.js';
import { KeyForm } from './sign-in-form.js';
import { keepFocus } from './ui/keep-focus.js';
import { messageOf } from './ui/use-loaded.js';

interface AppProps {
  readonly backend: Backend;
  /** The printed key, from the address. */
  readonly givenKey?: string | undefined;
}

type Phase =
  | { readonly name: 'opening' }
  | { readonly name: 'key'; readonly problem: string | undefined }
  | { readonly name: 'failed'; readonly problem: string }
  | { readonly name: 'open'; readonly session: PageSession };

/** The page: it opens a session, asks for the key if it must, and shows the views. */
export function App({ backend, givenKey }: AppProps) {
  const [phase, setPhase] = useState<Phase>({ name: 'opening' });

  const open = async (key?: string) => {
    try {
      setPhase({ name: 'open', session: await openSession(backend, key) });
    } catch (error) {
      const problem = messageOf(error);
      const needsKey = error instanceof ConsoleError && error.code === 'key';
      if (needsKey) setPhase({ name: 'key', problem: key === undefined ? undefined : problem });
      else setPhase({ name: 'failed', problem });
    }
  };

  useEffect(() => {
    void open(givenKey);
  }, []);

  const session = phase.name === 'open' ? phase.session : undefined;
  // The printed address may be pasted into a tab that shows the page already: then only its fragment changes.
  const isOpen = session !== undefined;
  useEffect(() => {
    if (isOpen) return;
    const take = () => {
      const key = takeKey();
      if (key !== undefined) void open(key);
    };
    addEventListener('hashchange', take);
    return () => removeEventListener('hashchange', take);
  }, [isOpen]);
  useEffect(() => {
    if (session === undefined) return;
    const leaving = new AbortController();
    void follow(session, leaving.signal);
    return () => leaving.abort();
  }, [session]);

  useEffect(keepFocus, []);

  switch (phase.name) {
    case 'opening':
      return null;
    case 'key':
      return <KeyForm problem={phase.problem} onKey={open} />;
    case 'failed':
      return (
        <main class="sign-in stack">
          <h1>The console does not open</h1>
          <p role="alert">{phase.problem}</p>
          <button type="button" class="primary" onClick={() => void open()}>
            Try again
          </button>
        </main>
      );
    case 'open':
      return (
        <SessionContext.Provider value={phase.session}>
          <Shell />
        </SessionContext.Provider>
      );
  }
}
