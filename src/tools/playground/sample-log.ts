import type { LogSource } from '../../console/page/log/log-source.js';
import { createEvaluator } from '../../policy/index.js';
import { example } from './example.js';

/** A caller in a sidecar's log: its questions, and how often it asks in an hour of a working day or of a night. */
interface Caller {
  readonly user: string;
  readonly actions: readonly string[];
  readonly byDay: number;
  readonly byNight: number;
  /** The hour of the log from which it calls. */
  readonly since: number;
}

const callers: readonly Caller[] = [
  { user: 'alice', actions: ['orders:read', 'orders:list'], byDay: 24, byNight: 0, since: 0 },
  { user: 'bob', actions: ['orders:read', 'orders:write'], byDay: 12, byNight: 1, since: 0 },
  // Callers that enforcing would stop.
  { user: 'nightly-report', actions: ['orders:list'], byDay: 0, byNight: 4, since: 0 },
  { user: 'alice', actions: ['orders:write'], byDay: 2, byNight: 0, since: 30 },
  { user: 'carol', actions: ['orders:read', 'orders:cancel'], byDay: 3, byNight: 0, since: 54 },
];

const hours = 72;
const start = Date.UTC(2026, 10, 16);
const isWorkTime = (hour: number): boolean => hour % 24 >= 8 && hour % 24 < 18;

/** The lines of a sidecar that decided nothing. */
const others: readonly (readonly [hour: number, line: (time: string) => string])[] = [
  [0, () => 'starting sidecar'],
  [9, (time) => `{"level":"info","policy":"write-orders","user":"bob","time":"${time}","message":"Policy updated"}`],
  [33, (time) => `{"level":"debug","user":"alice","time":"${time}","message":"AUTHZ-EVAL-DIAG EvaluatePolicies"}`],
  [71, () => '{"level":"info","method":"Permissive.Ev'],
];

/** Writes the log of three days under the type central-permissive, as the state of the example decides. */
function writeSample(): string {
  const evaluator = createEvaluator(example);
  const lines: string[] = [];
  let orders = 0;
  for (let hour = 0; hour < hours; hour += 1) {
    const timeOf = (second: number) =>
      new Date(start + (hour * 3_600 + second) * 1_000).toISOString().replace('.000', '');
    lines.push(...others.filter(([at]) => at === hour).map(([, line]) => line(timeOf(0))));
    for (const { user, actions, byDay, byNight, since } of callers) {
      const usual = hour < since ? 0 : isWorkTime(hour) ? byDay : byNight;
      // Some hours are busier than others.
      const times = usual === 0 ? 0 : usual + ((hour * 7) % 5);
      for (let i = 0; i < times; i += 1) {
        orders += 1;
        const action = actions[i % actions.length] ?? '';
        const resource = `order:${(orders * 7) % 40}`;
        const granted = evaluator.isAllowed({ user, action, resource });
        const fields = JSON.stringify({
          level: 'info',
          method: 'Permissive.Evaluate',
          user,
          action,
          resource,
          roles: [],
          context: 'null',
          message: granted ? 'Access Granted' : 'Permission denied',
          time: timeOf(Math.floor((i * 3_600) / times)),
        });
        // The platform writes two keys of this name, which no object has.
        lines.push(`${fields.slice(0, -1)},"message":"${granted ? 'Access Granted' : 'Access Denied'}"}`);
      }
    }
  }
  return lines.join('\n');
}

/** The log of a sidecar in front of the example's services. */
export const sampleLog: LogSource = {
  name: 'sample-sidecar.log',
  size: 0,
  async *read() {
    yield new TextEncoder().encode(writeSample());
  },
};
