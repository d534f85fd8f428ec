import { redactText } from '../../base/secrets/redact.js';
import type { LoggedRequest } from '../../mock/kit/logged-request.js';
import type { Evaluator, EvaluatorSubject } from '../../policy/index.js';
import { explanationTree } from '../answers/explanation-tree.js';
import type { ExplainedDecision, RequestDetail, RequestRow, ShownBody } from '../api.js';

const mostItems = 20;
const mostExplained = 200;

/** A request as a list shows it. */
export function toRow(request: LoggedRequest, id: number, isOwn: boolean): RequestRow {
  const { method, path, query, user, status, decision, decisions, time } = request;
  return {
    id,
    time: time.toISOString(),
    method,
    path,
    query,
    user: user ?? null,
    status,
    decision: decision ?? null,
    items: decisions.slice(0, mostItems),
    itemCount: decisions.length,
    console: isOwn,
  };
}

/** True for a body of which the log keeps only the size. */
const isSizeOnly = (body: string): boolean => /^\[\d+ bytes\]$/.test(body);

function toBody({ body }: LoggedRequest): ShownBody {
  if (body === undefined) return { kind: 'none', text: '' };
  if (typeof body !== 'string') return { kind: 'json', text: JSON.stringify(body, undefined, 2) };
  return { kind: isSizeOnly(body) ? 'note' : 'text', text: body };
}

const toThrown = (thrown: unknown): string | null =>
  thrown === undefined
    ? null
    : redactText(thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown));

/** The subjects that the decisions of a request may be about, the likeliest first. */
function subjectsOf({ user, groups: roles }: LoggedRequest): readonly EvaluatorSubject[] {
  const without: EvaluatorSubject = user === undefined ? { superuser: true } : { user };
  if (roles.length === 0) return [without];
  return [user === undefined ? { roles } : { user, roles }, without];
}

/** The policies before a request, after the request, and now. */
interface Policies {
  readonly before: Evaluator;
  readonly after: Evaluator;
  readonly now: Evaluator;
}

function explainDecisions(request: LoggedRequest, { before, after, now }: Policies): readonly ExplainedDecision[] {
  const subjects = subjectsOf(request);
  const candidates = [before, after].flatMap((policies) => subjects.map((subject) => ({ policies, subject })));
  return request.decisions.slice(0, mostExplained).map(({ action, resource, effect }) => {
    const asks = (policies: Evaluator, subject: EvaluatorSubject) =>
      policies.evaluate({ ...subject, action, resource }).effect === effect;
    const candidate = candidates.find(({ policies, subject }) => asks(policies, subject));
    const { policies, subject } = candidate ?? { policies: after, subject: subjects[0] };
    const tree = subject === undefined ? null : explanationTree(policies, subject, { action, resource });
    const stays = candidate !== undefined && asks(now, candidate.subject);
    return { action, resource, effect, tree, agrees: candidate === undefined ? 'other' : stays ? 'same' : 'changed' };
  });
}

/** A request with all that is known of it. */
export function toDetail(request: LoggedRequest, row: RequestRow, policies: Policies): RequestDetail {
  return {
    ...row,
    // The cast: the log's headers are text by name, with two methods that are hidden.
    headers: Object.entries(request.headers) as [string, string][],
    body: toBody(request),
    thrown: toThrown(request.thrown),
    decisions: explainDecisions(request, policies),
  };
}
