import { useEffect, useState } from 'preact/hooks';
import type { ClockChange, ClockState } from '../../api.js';
import { useSession } from '../page-session.js';
import { Form, TextField } from '../ui/field.js';
import { Problem } from '../ui/small.js';
import { useAction } from '../ui/use-action.js';
import { useLoaded } from '../ui/use-loaded.js';
import { useValue } from '../ui/value.js';

const showTime = (ms: number): string => new Date(ms).toISOString().replace('T', ' ').slice(0, 19);

/** The time of the clock, ticking while it runs. */
function useTicking(clock: ClockState | undefined): string | undefined {
  const [, tick] = useState(0);
  const [read, setRead] = useState({ clock, at: 0 });
  useEffect(() => {
    setRead({ clock, at: performance.now() });
    if (!clock?.running) return;
    const timer = setInterval(() => tick((count) => count + 1), 1_000);
    return () => clearInterval(timer);
  }, [clock]);
  if (clock === undefined) return undefined;
  const gone = clock.running && read.clock === clock ? performance.now() - read.at : 0;
  return showTime(Date.parse(clock.now) + gone);
}

const aheadText = ({ running, aheadMs }: ClockState): string => {
  if (!running) return 'Stopped';
  const minutes = Math.round(Math.abs(aheadMs) / 60_000);
  if (minutes === 0) return 'Running in real time';
  return `Running, ${minutes} min ${aheadMs > 0 ? 'ahead of' : 'behind'} real time`;
};

export function ClockPanel() {
  const { api, changes } = useSession();
  const count = useValue(changes);
  const { value: clock } = useLoaded(() => api.clock(), [count]);
  const time = useTicking(clock);
  const [moment, setMoment] = useState('');
  const { problem, run } = useAction();
  const change = (to: ClockChange) => () =>
    run(async () => {
      await api.setClock(to);
      changes.set(changes.get() + 1);
    });
  return (
    <section class="card stack" aria-label="Clock">
      <h2>Clock</h2>
      <p>
        <span class="big mono" role="timer">
          {time ?? ' '}
        </span>{' '}
        <span class="quiet" role="status">
          {clock && `UTC. ${aheadText(clock)}`}
        </span>
      </p>
      <div class="row">
        <button type="button" onClick={change({ advance: '10m' })}>
          +10 min
        </button>
        <button type="button" onClick={change({ advance: '1h' })}>
          +1 h
        </button>
        <button type="button" onClick={change({ advance: '24h' })}>
          +1 day
        </button>
        <button type="button" disabled={clock?.running} onClick={change({ run: true })}>
          Run
        </button>
        <button type="button" onClick={change({ real: true })}>
          Real time
        </button>
      </div>
      <Form look="row end" onSend={change({ set: moment.trim() })}>
        <div class="grow">
          <TextField
            label="Set and stop the clock"
            mono
            value={moment}
            placeholder="2026-11-20T12:00:00Z"
            onValue={setMoment}
          />
        </div>
        <button type="submit" disabled={moment.trim() === ''}>
          Set
        </button>
      </Form>
      <Problem text={problem} />
    </section>
  );
}
