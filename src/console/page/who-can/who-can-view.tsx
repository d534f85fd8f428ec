import { useSession } from '../page-session.js';
import { Problem } from '../ui/small.js';
import { useLoaded } from '../ui/use-loaded.js';

interface WhoCanProps {
  readonly action: string;
  readonly resource: string;
  readonly revision: number | undefined;
}

const mostNames = 50;

function names(users: readonly string[], roles: readonly string[]): string {
  const all = [...users, ...roles.map((role) => `requests with role ${role}`)];
  const more = all.length > mostNames ? [`and ${all.length - mostNames} more`] : [];
  return [...all.slice(0, mostNames), ...more].join(', ');
}

/** Those who may do what a question is about. */
export function WhoCan({ action, resource, revision }: WhoCanProps) {
  const { api } = useSession();
  const { value, problem } = useLoaded(
    () => (action === '' ? undefined : api.who({ action, resource })),
    [action, resource, revision],
    60,
  );
  if (action === '') return null;
  const { users = [], roles = [], partly } = value ?? {};
  const some = names(partly?.users ?? [], partly?.roles ?? []);
  return (
    <section class="card stack tight" aria-label="Who can">
      <h2>
        Who can <code>{action}</code> on <code>{resource || 'all resources'}</code>
      </h2>
      <Problem text={problem} />
      {value && <p>{names(users, roles) || 'Nothing but the superuser.'}</p>}
      {some !== '' && <p class="quiet">On a part: {some}</p>}
    </section>
  );
}
