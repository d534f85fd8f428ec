import { useState } from 'preact/hooks';
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
    case 'update-role':
      return (
        <>
          {isNew && <TextField label="Name" value={edit.name} onValue={(name) => onEdit({ ...edit, name })} />}
          <PolicyChoice
            policies={edit.role.policies}
            known={state.policies.map(({ name }) => name)}
            onPolicies={(policies) => onEdit({ ...edit, role: { ...edit.role, policies } })}
          />
        </>
      );
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

interface PolicyChoiceProps {
  readonly policies: readonly string[];
  readonly known: readonly string[];
  onPolicies(policies: string[]): void;
}

/** Chooses the policies of a role. Those that it had at first stand at the top. */
function PolicyChoice({ policies, known, onPolicies }: PolicyChoiceProps) {
  const [first] = useState(policies);
  const names = [...new Set([...first, ...known])];
  return (
    <fieldset class="stack tight">
      <legend>Policies</legend>
      {names.length === 0 && <p class="quiet">There are none yet. Make a policy first.</p>}
      <Searched noun={['policy', 'policies']} items={names} textOf={(name) => name} look={null}>
        {(name) => (
          <Check
            key={name}
            label={name}
            checked={policies.includes(name)}
            onChecked={(checked) =>
              onPolicies([...policies.filter((policy) => policy !== name), ...(checked ? [name] : [])])
            }
          />
        )}
      </Searched>
    </fieldset>
  );
}
