import type { EvaluatorSubject } from '../../../policy/index.js';
import type { GrantRow } from '../../api.js';
import { useSession } from '../page-session.js';
import { ItemLink } from '../ui/item-link.js';
import { Searched } from '../ui/searched.js';
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
        <Searched noun={['grant', 'grants']} items={value} textOf={({ text }) => text} look="stack tight">
          {(grant) => (
            <li key={grant.text} class="card">
              <code>{grant.text}</code>
              <Sources grant={grant} />
            </li>
          )}
        </Searched>
      )}
    </>
  );
}

function Sources({ grant: { because } }: { grant: GrantRow }) {
  // A binding and a request may grant the same role.
  const distinct = new Map(because.map((reason) => [JSON.stringify({ ...reason, via: '' }), reason]));
  return (
    <ul class="quiet">
      {Array.from(distinct, ([key, { via, role, policy, statement }]) => (
        <li key={key}>
          {via === 'superuser' ? (
            'By being the superuser'
          ) : (
            <>
              By role <ItemLink kind="role" name={role ?? ''} />
              {policy !== undefined && (
                <>
                  , policy <ItemLink kind="policy" name={policy} />
                </>
              )}
              {statement !== undefined && `, statement ${statement + 1}`}
            </>
          )}
        </li>
      ))}
    </ul>
  );
}
