import { useState } from 'preact/hooks';
import { notify, useSession } from '../page-session.js';
import { Form, TextField } from '../ui/field.js';
import { Searched } from '../ui/searched.js';
import { Problem } from '../ui/small.js';
import { useAction } from '../ui/use-action.js';
import { useLoaded } from '../ui/use-loaded.js';
import { useValue } from '../ui/value.js';

export function SnapshotsPanel() {
  const session = useSession();
  const { api, changes } = session;
  const count = useValue(changes);
  const { value: rows = [] } = useLoaded(() => api.snapshots(), [count]);
  const [name, setName] = useState('');
  const { problem, run } = useAction();
  const take = () =>
    run(async () => {
      await api.snapshot(name.trim() === '' ? {} : { name: name.trim() });
      setName('');
      changes.set(changes.get() + 1);
    });
  const restore = (id: number, title: string) => () =>
    run(async () => {
      await api.restore({ id });
      notify(session, { text: `Restored ${title}.`, isBad: false });
    });
  return (
    <section class="card stack" aria-label="Snapshots">
      <h2>Snapshots</h2>
      <p class="quiet">A restore brings back the whole state, and cuts off requests in flight.</p>
      <Searched noun={['snapshot', 'snapshots']} items={rows} textOf={({ name }) => name}>
        {({ id, name: title, time }) => (
          <li key={id} class="item row">
            <span>{title}</span>
            <span class="quiet mono">{time.replace('T', ' ').slice(0, 19)}</span>
            <button type="button" class="push" aria-label={`Restore ${title}`} onClick={restore(id, title)}>
              Restore
            </button>
          </li>
        )}
      </Searched>
      <Form look="row end" onSend={take}>
        <div class="grow">
          <TextField label="Name" value={name} placeholder="Optional" onValue={setName} />
        </div>
        <button type="submit">Take a snapshot</button>
      </Form>
      <Problem text={problem} />
    </section>
  );
}
