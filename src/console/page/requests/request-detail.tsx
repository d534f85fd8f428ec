import type { ExplainedDecision, RequestDetail } from '../../api.js';
import { useSession } from '../page-session.js';
import { breakable } from '../ui/breakable.js';
import { ExplanationView } from '../ui/explanation.js';
import { DecisionBadge, Fact, Problem, Time } from '../ui/small.js';
import { useLoaded } from '../ui/use-loaded.js';
import { addressOf, statusText } from './log-row.js';

interface RequestDetailPaneProps {
  readonly id: number;
  onClose(): void;
}

/** Shows a request with its headers, body, sender and decisions. */
export function RequestDetailPane({ id, onClose }: RequestDetailPaneProps) {
  const { api } = useSession();
  const { value, problem } = useLoaded(() => (Number.isInteger(id) ? api.request({ id }) : undefined), [id]);
  return (
    <div class="stack">
      <div class="row">
        <button type="button" class="back" onClick={onClose}>
          Back to the log
        </button>
      </div>
      <Problem text={problem} />
      {value && <Facts request={value} />}
    </div>
  );
}

function Facts({ request }: { request: RequestDetail }) {
  const { time, user, status, headers, body, thrown, decisions, decision } = request;
  return (
    <>
      <h2 class="mono wrap">
        {request.method} {addressOf(request)}
      </h2>
      <dl class="facts">
        <Fact name="User">{breakable(user ?? 'Not known')}</Fact>
        <Fact name="Status">{status === 0 ? 'None: a fault dropped the connection' : statusText(status)}</Fact>
        <Fact name="Time">
          <Time time={time} />
        </Fact>
        {decision !== null && (
          <Fact name="Decision">
            <DecisionBadge decision={decision} />
          </Fact>
        )}
        {request.console && <Fact name="Sent by">The console, as the mock's superuser</Fact>}
      </dl>
      {thrown !== null && <Problem text={`The handler threw: ${thrown}`} />}
      {decisions.map((itemDecision, index) => (
        <Decision key={index} decision={itemDecision} isOpen={decisions.length === 1} />
      ))}
      {decisions.length < request.itemCount && (
        <p class="quiet">
          The first {decisions.length} of {request.itemCount} decisions.
        </p>
      )}
      <section class="stack tight">
        <h3>Headers</h3>
        <dl class="facts mono">
          {headers.map(([name, value]) => (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ))}
        </dl>
      </section>
      <section class="stack tight">
        <h3>Body</h3>
        {body.kind === 'none' ? <p class="quiet">None</p> : <pre>{body.text}</pre>}
      </section>
    </>
  );
}

const differences = {
  same: undefined,
  changed: 'The policies have changed since: today they decide otherwise.',
  other: 'Something else than the policies decided, like the authorization type or a scripted fault.',
} as const;

function Decision({ decision, isOpen }: { decision: ExplainedDecision; isOpen: boolean }) {
  const { action, resource, effect, tree, agrees } = decision;
  return (
    <details class="card" open={isOpen}>
      <summary>
        <DecisionBadge decision={effect} explicit={tree?.explicit ?? false} /> <code>{action}</code> on{' '}
        <code>{resource || '(empty)'}</code>
      </summary>
      <div class="stack tight summary-body">
        {differences[agrees] && <p class="problem warn">{differences[agrees]}</p>}
        {tree === null ? (
          <p class="quiet">There is no explanation: the subject was not logged.</p>
        ) : (
          <ExplanationView tree={tree} />
        )}
      </div>
    </details>
  );
}
