import type { ConsoleState, Edit } from '../../api.js';
import { Check, Choice, TextField } from '../ui/field.js';
import { Searched } from '../ui/searched.js';
import { StatementsEditor } from './statements.js';

interface EditFieldsProps {
  readonly edit: Edit;
  readonly isNew: boolean;
  readonly state: ConsoleState;
  onEdit(edit: Edit): void;
}

export function EditFields({ edit, isNew, state, onEdit }: EditFieldsProps) {
  switch (edit.kind) {
    case 'create-policy':
    case 'update-policy':
      return (
        <>
          {isNew && <TextField label="Name" value={edit.name} onValue={(name) => onEdit({ ...edit, name })} />}
          <StatementsEditor policy={edit.policy} onPolicy={(policy) => onEdit({ ...edit, policy })} />
        </>
      );
    case 'create-role':
    case 'update-role': {
      const { policies } = edit.role;
      const put = (next: readonly string[]) => onEdit({ ...edit, role: { ...edit.role, policies: [...next] } });
      // Those of the role come first.
      const names = [...new Set([...policies, ...state.policies.map(({ name }) => name)])];
      return (
        <>
          {isNew && <TextField label="Name" value={edit.name} onValue={(name) => onEdit({ ...edit, name })} />}
          <fieldset>
            <legend>Policies</legend>
            {names.length === 0 && <p class="quiet">There are none yet. Make a policy first.</p>}
            <Searched noun={['policy', 'policies']} items={names} textOf={(name) => name}>
              {(found) =>
                found.map((name) => (
                  <Check
                    key={name}
                    label={name}
                    checked={policies.includes(name)}
                    onChecked={(checked) =>
                      put(checked ? [...policies, name] : policies.filter((policy) => policy !== name))
                    }
                  />
                ))
              }
            </Searched>
          </fieldset>
        </>
      );
    }
    case 'assign-role':
    case 'replace-scope':
      return (
        <>
          {isNew && (
            <div class="columns">
              <TextField
                label="User"
                value={edit.user}
                options={state.users}
                onValue={(user) => onEdit({ ...edit, user })}
              />
              <Choice
                label="Role"
                value={edit.role}
                choices={state.roles.map(({ name }) => [name, name])}
                onValue={(role) => onEdit({ ...edit, role })}
              />
            </div>
          )}
          <h3>Scope: the role counts within it</h3>
          <StatementsEditor policy={edit.scope} onPolicy={(scope) => onEdit({ ...edit, scope })} />
        </>
      );
    default:
      return null;
  }
}
