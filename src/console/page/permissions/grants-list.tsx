import type { EvaluatorSubject } from '../../../policy/index.js';
import type { GrantRow } from '../../api.js';
import { useSession } from '../page-session.js';
import { Empty, Problem } from '../ui/small.js';
import { useLoaded } from '../ui/use-loaded.js';

interface GrantsProps {
  readonly subject: EvaluatorSubject;
  readonly revision: number;
}

/** Shows the regions that a user or a group is granted, with the statements that grant them. */
export function Grants({ subject, revision }: GrantsProps) {
  const { api } = useSession();
  const { value, problem } = useLoaded(() => api.grants(subject), [subject, revision]);
  return (
    <>
      <Problem text={problem} />
      {value?.length === 0 && (
        <Empty title="Nothing is granted">
          <p>Bind the name to a role whose policies allow something, with a scope that allows it as well.</p>
        </Empty>
      )}
      {value && value.length > 0 && (
        <ul class="stack tight">
          {value.map((grant) => (
            <li key={grant.text} class="card">
              <code>{grant.text}</code>
              <p class="quiet">{sourcesOf(grant)}</p>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

function sourcesOf({ because }: GrantRow): string {
  const sources = because.map(({ via, role, policy, statement }) => {
    if (via === 'superuser') return 'being the superuser';
    const parts = [`role ${role ?? ''}`];
    if (policy !== undefined) parts.push(`policy ${policy}`);
    if (statement !== undefined) parts.push(`statement ${statement + 1}`);
    return parts.join(', ');
  });
  return `By ${[...new Set(sources)].join('; ')}`;
}
