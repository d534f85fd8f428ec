import type { BindingNode, ExplanationTree, NearestMiss, PatternNode, PolicyNode, StatementNode } from '../../api.js';
import { ItemLink } from './item-link.js';
import { CopyButton } from './small.js';

/** Shows a decision's reasons from binding to role, policy and statement, and highlights what matched. */
export function ExplanationView({ tree }: { tree: ExplanationTree }) {
  return (
    <div class="stack tight">
      <p>{sentence(tree.because)}</p>
      {tree.nearest !== null && <Nearest nearest={tree.nearest} />}
      {tree.bindings.length > 0 && (
        <ul class="tree" aria-label="Bindings">
          {tree.bindings.map((binding, index) => (
            <Binding key={index} binding={binding} user={tree.subject.user} />
          ))}
        </ul>
      )}
      <div class="row">
        <CopyButton label="Copy the explanation" text={() => tree.text} />
      </div>
    </div>
  );
}

function Nearest({ nearest: { role, policy, index, but } }: { nearest: NearestMiss }) {
  return (
    <p class="problem">
      Nearest miss: statement {index + 1} of policy <ItemLink kind="policy" name={policy} />, by role{' '}
      <ItemLink kind="role" name={role} />, would allow it, but {but}.
    </p>
  );
}

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function Binding({ binding, user }: { binding: BindingNode; user: string | undefined }) {
  const { via, group, role, roleExists, granted, because, scope, policies } = binding;
  return (
    <li>
      <span class={`badge ${granted ? 'allow' : ''}`}>
        {via === 'request' ? 'Role of the request' : group === undefined ? 'Binding' : `Group ${group}`}
      </span>{' '}
      to role <ItemLink kind="role" name={role} /> <span class="reason">{because}</span>
      <ul>
        {scope !== null && (
          <li>
            {via === 'binding' ? <ItemLink kind="role" name={role} user={user} text="Scope" /> : 'Scope'}
            <Statements statements={scope.statements} />
          </li>
        )}
        {roleExists && policies.map((policy) => <PolicyItem key={policy.name} policy={policy} />)}
      </ul>
    </li>
  );
}

function PolicyItem({ policy: { name, state, statements } }: { policy: PolicyNode }) {
  const skipped = {
    evaluated: undefined,
    missing: 'is skipped: it does not exist',
    unparsable: 'is skipped: not valid',
  };
  return (
    <li>
      Policy <ItemLink kind="policy" name={name} /> {skipped[state] && <span class="badge warn">{skipped[state]}</span>}
      <Statements statements={statements} />
    </li>
  );
}

function Statements({ statements }: { statements: readonly StatementNode[] }) {
  return (
    <ul>
      {statements.map((statement) => (
        <li key={statement.index}>
          <span class={statement.decisive ? `badge ${statement.effect.toLowerCase()}` : 'badge'}>
            {statement.effect}
          </span>{' '}
          <span class="statement mono">
            <Patterns patterns={statement.actions} /> <span class="reason">on</span>{' '}
            <Patterns patterns={statement.resources} />
          </span>{' '}
          <span class="reason">{statement.because}</span>
        </li>
      ))}
    </ul>
  );
}

function Patterns({ patterns }: { patterns: readonly PatternNode[] }) {
  return (
    <>
      {patterns.map(({ pattern, matches }, index) => (
        <span key={index}>
          {index > 0 && ', '}
          {matches ? <mark>{pattern}</mark> : pattern}
        </span>
      ))}
    </>
  );
}
