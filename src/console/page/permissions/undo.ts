import { notify, type PageSession } from '../page-session.js';
import { messageOf } from '../ui/use-loaded.js';
import { titleOf } from './page-edits.js';

/** Undoes an edit, and shows a message with the result. */
export async function undoEdit(session: PageSession, id: number): Promise<void> {
  try {
    const { edit } = await session.api.undo({ id });
    notify(session, { text: `Undone: ${titleOf(edit)}.`, isBad: false });
  } catch (error) {
    notify(session, { text: messageOf(error), isBad: true });
  }
}

/** Undoes the last edit that can be undone. */
export async function undoLast(session: PageSession): Promise<void> {
  const edits = await session.api.edits().catch(() => []);
  const last = edits.find(({ undone, opposite }) => !undone && opposite !== null);
  if (last !== undefined) return undoEdit(session, last.id);
  notify(session, { text: 'There is no edit to undo.', isBad: false });
}

/** True if the key goes to a field or a dialog, so it is not a shortcut of the page. */
export const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof Element && target.closest('input, textarea, select, dialog') !== null;
