import type { Policy, Statement } from '../../../policy/index.js';
import { AreaField, Choice } from '../ui/field.js';

const emptyStatement: Statement = { effect: 'Allow', actions: [], resources: [] };

/** The first content of a new policy. */
export const emptyPolicy: Policy = { statements: [emptyStatement] };

/** A scope that allows everything, for a new binding. */
export const everything: Policy = { statements: [{ effect: 'Allow', actions: ['*'], resources: ['*'] }] };

export function StatementLines({ policy }: { policy: Policy }) {
  return (
    <>
      {policy.statements.map(({ effect, actions, resources }, index) => (
        <p key={index} class="mono statement">
          <span class={effect === 'Allow' ? 'badge allow' : 'badge deny'}>{effect}</span>{' '}
          {actions.join(', ') || 'no action'} <span class="quiet">on</span> {resources.join(', ') || 'no resource'}
        </p>
      ))}
    </>
  );
}

interface StatementsEditorProps {
  readonly policy: Policy;
  onPolicy(policy: Policy): void;
}

export function StatementsEditor({ policy, onPolicy }: StatementsEditorProps) {
  const { statements } = policy;
  const put = (next: readonly Statement[]) => onPolicy({ ...policy, statements: [...next] });
  const change = (index: number, part: Partial<Statement>) =>
    put(statements.map((statement, at) => (at === index ? { ...statement, ...part } : statement)));
  return (
    <div class="stack tight">
      {statements.map(({ effect, actions, resources }, index) => (
        <fieldset key={index} class="card">
          <legend class="unseen">Statement {index + 1}</legend>
          <div class="statement-fields">
            <Choice
              label="Effect"
              value={effect}
              choices={[
                ['Allow', 'Allow'],
                ['Deny', 'Deny'],
              ]}
              onValue={(value) => change(index, { effect: value === 'Deny' ? 'Deny' : 'Allow' })}
            />
            <Lines label="Actions" lines={actions} onLines={(lines) => change(index, { actions: lines })} />
            <Lines label="Resources" lines={resources} onLines={(lines) => change(index, { resources: lines })} />
          </div>
          <div class="row">
            <button
              type="button"
              class="link danger push"
              onClick={() => put(statements.filter((_, at) => at !== index))}
            >
              Remove statement {index + 1}
            </button>
          </div>
        </fieldset>
      ))}
      <div class="row">
        <button type="button" onClick={() => put([...statements, emptyStatement])}>
          Add a statement
        </button>
      </div>
    </div>
  );
}

interface LinesProps {
  readonly label: string;
  readonly lines: readonly string[];
  onLines(lines: string[]): void;
}

function Lines({ label, lines, onLines }: LinesProps) {
  return (
    <AreaField
      label={`${label}, one per line`}
      rows={Math.max(2, lines.length)}
      value={lines.join('\n')}
      onValue={(text) => onLines(text === '' ? [] : text.split('\n'))}
    />
  );
}

/** Removes surrounding spaces and empty lines, which typing leaves. */
export function tidy(policy: Policy): Policy {
  const lines = (texts: readonly string[]) => texts.map((text) => text.trim()).filter((text) => text !== '');
  const statements = policy.statements.map((statement) => ({
    ...statement,
    actions: lines(statement.actions),
    resources: lines(statement.resources),
  }));
  return { ...policy, statements };
}
