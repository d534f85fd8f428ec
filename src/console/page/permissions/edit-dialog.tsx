import { useState } from 'preact/hooks';
import type { ConsoleState, Edit, EditPreview } from '../../api.js';
import { notify, useSession } from '../page-session.js';
import { Dialog } from '../ui/dialog.js';
import { Form } from '../ui/field.js';
import { ItemLink } from '../ui/item-link.js';
import { Names } from '../ui/name-list.js';
import { Problem } from '../ui/small.js';
import { messageOf, useLoaded } from '../ui/use-loaded.js';
import { counted } from '../ui/words.js';
import { AccessChange } from './access-change.js';
import { EditFields } from './edit-fields.js';
import { Findings } from './findings-panel.js';
import { canBeSent, deletionOf, tidyEdit, titleOf } from './page-edits.js';
import { undoEdit } from './undo.js';

/** Shows an edit's effects and the API call that would make it. */
function PreviewView({ preview: { gained, lost, notCompared, findings, call } }: { preview: EditPreview }) {
  return (
    <>
      <AccessChange gained={gained} lost={lost} notCompared={notCompared} />
      <Findings title="New lint findings" findings={findings} />
      <p class="quiet">
        The call: <code>{call.method}</code> <code>{call.path}</code>
      </p>
    </>
  );
}

/** Names the roles and counts the users that lose access by a deletion. */
function Deleted({ edit, state }: { edit: Edit; state: ConsoleState }) {
  if ('user' in edit) {
    return (
      <p>
        {edit.user} loses all that role <ItemLink kind="role" name={edit.role} /> grants. It can be undone.
      </p>
    );
  }
  const roles = state.roles.filter(({ name, role }) =>
    edit.kind === 'delete-role' ? name === edit.name : role.policies.includes(edit.name),
  );
  const names = new Set(roles.map(({ name }) => name));
  const [users, groups] = [state.bindings, state.groupBindings].map((list) =>
    list.filter(({ role }) => names.has(role)),
  );
  return (
    <>
      <p>
        Everything that it grants goes with it, for {counted(users?.length ?? 0, 'binding')} of users and{' '}
        {groups?.length ?? 0} of groups. It can be undone.
      </p>
      {edit.kind === 'delete-policy' && (
        <Names
          noun={['role with it', 'roles with it']}
          names={[...names]}
          show={(name) => <ItemLink kind="role" name={name} />}
        />
      )}
    </>
  );
}

interface EditDialogProps {
  readonly first: Edit;
  readonly isNew: boolean;
  readonly state: ConsoleState;
  onClose(): void;
}

/** Edits one item. As the fields change, it shows who would gain or lose access. */
export function EditDialog({ first, isNew, state, onClose }: EditDialogProps) {
  const session = useSession();
  const { api } = session;
  const [edit, setEdit] = useState(first);
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);
  const sent = tidyEdit(edit);
  const text = JSON.stringify(sent);
  const isUnchanged = !isNew && text === JSON.stringify(tidyEdit(first));
  const preview = useLoaded(
    () => (canBeSent(sent) && !isUnchanged ? api.preview({ edit: sent }) : undefined),
    [text, state.revision],
    120,
  );
  const deletion = isNew ? undefined : deletionOf(first);
  const isDeletion = edit.kind === deletion?.kind;

  const apply = async () => {
    if (preview.value === undefined) return;
    setSending(true);
    setProblem(undefined);
    try {
      const { id } = await api.edit({ edit: sent, revision: preview.value.revision });
      onClose();
      notify(session, {
        text: `Done: ${titleOf(sent)}.`,
        isBad: false,
        action: { label: 'Undo (U)', run: () => void undoEdit(session, id) },
      });
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setSending(false);
    }
  };

  return (
    <Dialog title={titleOf(edit)} onClose={onClose}>
      <Form onSend={apply}>
        {isDeletion ? (
          <Deleted edit={edit} state={state} />
        ) : (
          <EditFields edit={edit} isNew={isNew} state={state} onEdit={setEdit} />
        )}
        <section aria-live="polite" aria-label="Effects" class="stack tight">
          {isUnchanged && <p class="quiet">Nothing is changed yet. Who gains and who loses is shown here.</p>}
          {preview.value && <PreviewView preview={preview.value} />}
        </section>
        <Problem text={problem ?? preview.problem} />
        <div class="row">
          {deletion && (
            <button
              type="button"
              class={isDeletion ? undefined : 'danger'}
              onClick={() => setEdit(isDeletion ? first : deletion)}
            >
              {isDeletion ? 'Keep it' : 'Delete…'}
            </button>
          )}
          <button
            type="submit"
            class={isDeletion ? 'primary danger push' : 'primary push'}
            disabled={preview.value === undefined || isSending}
          >
            {isDeletion ? 'Delete' : 'Apply'}
          </button>
        </div>
      </Form>
    </Dialog>
  );
}
