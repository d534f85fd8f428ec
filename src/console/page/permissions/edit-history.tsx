import { useEffect } from 'preact/hooks';
import { goTo, useSession } from '../page-session.js';
import { Searched } from '../ui/searched.js';
import { useLoaded } from '../ui/use-loaded.js';
import { useValue } from '../ui/value.js';
import { titleOf } from './page-edits.js';
import { isTyping, undoEdit, undoLast } from './undo.js';

/** The edits that the console has made. The key U undoes the last one. */
export function EditHistory() {
  const session = useSession();
  const state = useValue(session.state);
  const changes = useValue(session.changes);
  const { value: edits = [] } = useLoaded(() => session.api.edits(), [state?.revision, changes]);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
      if (event.key.toLowerCase() === 'u' && isPlain && !isTyping(event)) void undoLast(session);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, [session]);
  if (edits.length === 0) return null;
  return (
    <section class="stack tight" aria-label="Edits of the console">
      <div class="row">
        <h2>Edits of the console</h2>
        <span class="quiet">
          <kbd>U</kbd> undoes the last one
        </span>
      </div>
      <Searched noun={['edit', 'edits']} items={edits} textOf={({ edit }) => titleOf(edit)}>
        {({ id, time, edit, request, undone, opposite }) => (
          <li key={id} class="item row">
            <span class="quiet mono">{time.slice(11, 19)}</span>
            {undone ? <s>{titleOf(edit)}</s> : titleOf(edit)}
            <span class="row push">
              {request !== null && (
                <button type="button" onClick={() => goTo(session, 'requests', { id: String(request) })}>
                  Show request
                </button>
              )}
              <button
                type="button"
                aria-label={`Undo: ${titleOf(edit)}`}
                disabled={undone || opposite === null}
                onClick={() => void undoEdit(session, id)}
              >
                {undone ? 'Undone' : 'Undo'}
              </button>
            </span>
          </li>
        )}
      </Searched>
    </section>
  );
}
