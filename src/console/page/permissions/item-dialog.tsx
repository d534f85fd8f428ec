import type { Edit } from '../../api.js';
import { Dialog } from '../ui/dialog.js';
import { ItemLink } from '../ui/item-link.js';
import { nameOf } from './page-edits.js';
import { StatementLines } from './statements.js';

interface ItemDialogProps {
  readonly edit: Edit;
  /** True for an item that does not exist. */
  readonly isNew: boolean;
  onClose(): void;
}

/** Shows an item of a console that cannot edit it. */
export function ItemDialog({ edit, isNew, onClose }: ItemDialogProps) {
  return (
    <Dialog title={nameOf(edit)} onClose={onClose}>
      {isNew && <p>There is none of this name.</p>}
      {!isNew && 'policy' in edit && <StatementLines policy={edit.policy} />}
      {!isNew && 'scope' in edit && <StatementLines policy={edit.scope} />}
      {!isNew && 'name' in edit && 'role' in edit && (
        <ul>
          {edit.role.policies.map((policy) => (
            <li key={policy}>
              <ItemLink kind="policy" name={policy} />
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
