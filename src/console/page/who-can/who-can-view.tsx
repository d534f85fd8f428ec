import type { Holders } from '../../api.js';
import { useSession } from '../page-session.js';
import { ItemLink } from '../ui/item-link.js';
import { Names } from '../ui/name-list.js';
import { Problem } from '../ui/small.js';
import { useLoaded } from '../ui/use-loaded.js';

interface WhoCanProps {
  readonly action: string;
  readonly resource: string;
  readonly revision: number | undefined;
}

/** Users, groups and roles, each behind their count. */
function HolderLists({ holders: { users, groups, roles } }: { holders: Omit<Holders, 'partly'> }) {
  return (
    <>
      <Names noun={['user', 'users']} names={users} />
      <Names noun={['group', 'groups']} names={groups} />
      <Names
        noun={['role that requests may name', 'roles that requests may name']}
        names={roles}
        show={(name) => <ItemLink kind="role" name={name} />}
      />
    </>
  );
}

const countOf = ({ users, groups, roles }: Omit<Holders, 'partly'>): number =>
  users.length + groups.length + roles.length;

/** Lists the users, groups and roles that may do an action on a resource. */
export function WhoCan({ action, resource, revision }: WhoCanProps) {
  const { api } = useSession();
  const { value, problem } = useLoaded(
    () => (action === '' ? undefined : api.who({ action, resource })),
    [action, resource, revision],
    60,
  );
  if (action === '') return null;
  return (
    <section class="card stack tight" aria-label="Who can">
      <h2>
        Who can <code>{action}</code> on <code>{resource || 'all resources'}</code>
      </h2>
      <Problem text={problem} />
      {value && (countOf(value) === 0 ? <p>Nothing but the superuser.</p> : <HolderLists holders={value} />)}
      {value && countOf(value.partly) > 0 && (
        <>
          <h3>On a part of it</h3>
          <HolderLists holders={value.partly} />
        </>
      )}
    </section>
  );
}
