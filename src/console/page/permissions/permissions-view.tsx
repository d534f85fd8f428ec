import { useState } from 'preact/hooks';
import { narrow, useSession } from '../page-session.js';
import { Dialog } from '../ui/dialog.js';
import { AnswerView } from '../ui/loaded-answer.js';
import { Problem } from '../ui/small.js';
import { useLoaded } from '../ui/use-loaded.js';
import { useValue } from '../ui/value.js';
import { WhoCan } from '../who-can/who-can-view.js';
import { EditDialog } from './edit-dialog.js';
import { EditHistory } from './edit-history.js';
import { Findings } from './findings-panel.js';
import { Grants } from './grants-list.js';
import { ItemDialog } from './item-dialog.js';
import { Items } from './item-lists.js';
import { MatrixPanel } from './matrix-panel.js';
import { linkedItem, type Named, type Opened } from './opened.js';

interface CellExplanationProps extends Pick<Named, 'subject'> {
  readonly action: string;
  readonly resource: string;
  readonly revision: number;
}

function CellExplanation({ subject, action, resource, revision }: CellExplanationProps) {
  const { api } = useSession();
  const { value, problem } = useLoaded(
    () => api.explain({ subject, action, resource }),
    [subject, action, resource, revision],
  );
  return (
    <div class="stack tight">
      <Problem text={problem} />
      {value && <AnswerView answer={value} />}
      <WhoCan action={action} resource={resource} revision={revision} />
    </div>
  );
}

/** Decisions as a matrix, the policies, roles and bindings behind them, and their edits. */
export function PermissionsView() {
  const session = useSession();
  const state = useValue(session.state);
  const { filters } = useValue(session.address);
  const [chosen, setOpened] = useState<Opened>();
  if (state === undefined) return null;
  // A link in a dialog opens another one in its place.
  const opened = linkedItem(filters, state) ?? chosen;
  const close = () => {
    setOpened(undefined);
    narrow(session, session.address.get().view, { policy: '', role: '', user: '' });
  };
  const mayEdit = session.overview.capabilities.edit;
  return (
    <div class="page wide">
      <MatrixPanel state={state} onOpen={setOpened} />
      <Items state={state} mayEdit={mayEdit} onOpen={setOpened} />
      <Findings title="Lint findings about the whole state" findings={state.findings} about={{ kind: 'state' }} />
      {mayEdit && <EditHistory />}
      {opened?.kind === 'cell' && (
        <Dialog title={`${opened.name}: ${opened.action}`} onClose={close}>
          <CellExplanation {...opened} revision={state.revision} />
        </Dialog>
      )}
      {opened?.kind === 'grants' && (
        <Dialog title={`Grants of ${opened.name}`} onClose={close}>
          <Grants subject={opened.subject} revision={state.revision} />
        </Dialog>
      )}
      {opened?.kind === 'edit' && mayEdit && (
        <EditDialog
          key={JSON.stringify([filters.policy, filters.role, filters.user])}
          first={opened.edit}
          isNew={opened.isNew}
          state={state}
          onClose={close}
        />
      )}
      {opened?.kind === 'edit' && !mayEdit && <ItemDialog {...opened} onClose={close} />}
    </div>
  );
}
