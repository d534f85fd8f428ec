import { useSession } from '../page-session.js';
import { Searched } from '../ui/searched.js';
import { Empty, Problem } from '../ui/small.js';
import { useAction } from '../ui/use-action.js';
import { useLoaded } from '../ui/use-loaded.js';
import { useValue } from '../ui/value.js';
import { FaultForm } from './fault-form.js';

const leftText = (left: number | 'always'): string => {
  if (left === 'always') return 'until it is removed';
  return left === 1 ? 'once more' : `${left} more times`;
};

export function FaultsPanel() {
  const { api, changes, requests } = useSession();
  const count = useValue(changes);
  // Reads the faults again after each request, which may have used one up.
  const newest = useValue(requests)[0]?.id;
  const { value: rows = [] } = useLoaded(() => api.faults(), [count, newest], 60);
  const { problem, run } = useAction();
  const changed = () => changes.set(changes.get() + 1);
  const remove = (id: number) => () =>
    run(async () => {
      await api.removeFault({ id });
      changed();
    });
  return (
    <section class="card stack" aria-label="Faults">
      <h2>Faults</h2>
      {rows.length === 0 && (
        <Empty title="No faults are scripted">
          <p>Add one to see how your application takes an error, a delay or a dropped connection.</p>
        </Empty>
      )}
      <Searched noun={['fault', 'faults']} items={rows} textOf={({ name }) => name}>
        {({ id, name, left, used, console: isOwn }) => (
          <li key={id} class="item row">
            <code>{name}</code>
            <span class="quiet">{left === 0 ? 'used up' : leftText(left)}</span>
            {used && <span class="badge">Happened</span>}
            {!isOwn && <span class="badge accent">From a test</span>}
            <button type="button" class="push" aria-label={`Remove ${name}`} onClick={remove(id)}>
              Remove
            </button>
          </li>
        )}
      </Searched>
      <Problem text={problem} />
      <FaultForm onAdded={changed} />
    </section>
  );
}
