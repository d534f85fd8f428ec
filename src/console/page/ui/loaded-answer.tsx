import type { ConsoleAnswer } from '../../api.js';
import { ExplanationView } from './explanation.js';
import { DecisionBadge } from './small.js';

/** Shows a decision with its explanation, or the reason why none was made. */
export function AnswerView({ answer: { tree, note, token } }: { answer: ConsoleAnswer }) {
  if (tree === null) return <p class="problem deny">The token is not valid: {token?.why}</p>;
  return (
    <div class="stack tight">
      <p>
        <DecisionBadge decision={tree.effect} explicit={tree.explicit} /> <code>{tree.action}</code> on{' '}
        <code>{tree.resource || '(empty)'}</code>
        {token !== null && (token.superuser ? ' for the superuser' : ` for ${token.user}`)}
      </p>
      {note !== null && <p class="problem warn">{note}</p>}
      <ExplanationView tree={tree} />
    </div>
  );
}
