// Decides over the text of the first screen, by the package's reader of files, guard and policy engine. Loaded at the
// first change.
import { createGuard } from 'arango-services/guard';
import { readPermissions } from 'arango-services/permissions';
import { createEvaluator, type Explanation, explain, formatExplanation } from 'arango-services/policy';
import { type Answer, question, user } from './example.ts';

/** Which statement decided, by the outcome of a binding; other outcomes have none. */
const deciding: Readonly<Record<string, string>> = { allowed: 'policy ', denied: 'policy ', 'scope-denied': 'scope ' };

/** The line that names the statement that decided, or the reason if none did. */
function reasonOf({ decision, explicit, considered }: Explanation, text: string): string {
  const [headline = '', ...bindings] = text.split('\n- ');
  const at = considered.findIndex(
    ({ outcome }) => (decision.allowed ? outcome === 'allowed' : explicit) && outcome in deciding,
  );
  const start = deciding[considered[at]?.outcome ?? ''];
  const lines = bindings[at]?.split('\n').map((line) => line.trim()) ?? [];
  const statement = start === undefined ? undefined : lines.find((line) => line.startsWith(start));
  return statement ?? headline.slice(headline.lastIndexOf(': ') + 2);
}

/** Answers the request over the text of a file of permissions. Rejects if it is not valid. */
export async function decide(text: string): Promise<Answer> {
  const file = 'permissions.yaml';
  const read = (path: string): string => {
    if (path !== file) throw new Error(`${path} cannot be included: the page has one file`);
    return text;
  };
  const { policies, roles, bindings } = await readPermissions(file, { read });
  const evaluator = createEvaluator({ policies, roles, bindings });
  const guard = createGuard(evaluator, { authenticate: () => ({ user }) });
  const request = new Request('http://localhost:3000/orders/7', { headers: { authorization: 'Bearer token' } });
  const access = await guard.check(request, question);
  const response = access.allowed ? Response.json({ id: '7', total: 9.5 }) : access.response;
  const explained = explain(evaluator, { user, ...question });
  const explanation = formatExplanation(explained);
  const because = reasonOf(explained, explanation);
  return { status: response.status, body: await response.text(), because, explanation };
}
