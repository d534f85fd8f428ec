import type { Holders } from '../../api.js';
import { useSession } from '../page-session.js';
import { Problem } from '../ui/small.js';
import { useLoaded } from '../ui/use-loaded.js';

interface WhoCanProps {
  readonly action: string;
  readonly resource: string;
  readonly revision: number | undefined;
}

const mostNames = 50;

function names({ users, groups, roles }: Omit<Holders, 'partly'>): string {
  const all = [
    ...users,
    ...groups.map((group) => `group ${group}`),
    ...roles.map((role) => `requests with role ${role}`),
  ];
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
  const some = value ? names(value.partly) : '';
  return (
    <section class="card stack tight" aria-label="Who can">
      <h2>
        Who can <code>{action}</code> on <code>{resource || 'all resources'}</code>
      </h2>
      <Problem text={problem} />
      {value && <p>{names(value) || 'Nothing but the superuser.'}</p>}
      {some !== '' && <p class="quiet">On a part: {some}</p>}
    </section>
  );
}
