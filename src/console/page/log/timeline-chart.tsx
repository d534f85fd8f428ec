import { Heads } from '../ui/small.js';
import { counted, number } from '../ui/words.js';
import { timeText, widthText } from './log-words.js';
import type { Bucket, LogView } from './reader-messages.js';

const height = 56;
const step = 10;
/** The height of a bar that would be too low to be seen. */
const lowest = 2;

interface PanelProps {
  readonly kind: 'denied' | 'allowed';
  readonly view: LogView;
}

/** The bars of denials or of permissions, with a scale of their own: few denials among many decisions stay visible. */
function Panel({ kind, view: { buckets, widthMs, ...totals } }: PanelProps) {
  const highest = buckets.reduce<Bucket | undefined>(
    (most, bucket) => (most === undefined || bucket[kind] > most[kind] ? bucket : most),
    undefined,
  );
  const most = highest?.[kind] ?? 0;
  const title = kind === 'denied' ? 'Denied' : 'Allowed';
  const peak = highest && most > 0 ? `, at most ${number(most)} in ${widthText(widthMs)}` : '';
  const words = highest && most > 0 ? `${peak}, at ${timeText(highest.from, widthMs)} UTC` : '';
  return (
    <div class="panel">
      <p>
        <strong>{title}</strong> <span class="quiet">{number(totals[kind]) + peak}</span>
      </p>
      <svg
        viewBox={`0 0 ${buckets.length * step} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title} over time: ${number(totals[kind])}${words}`}
        class={`bars ${kind}`}
      >
        {buckets.map((bucket, index) => {
          const tall = bucket[kind] === 0 ? 0 : Math.max(lowest, (bucket[kind] / most) * height);
          return (
            tall > 0 && (
              <rect key={bucket.from} x={index * step + 1} y={height - tall} width={step - 2} height={tall}>
                <title>{`${timeText(bucket.from, widthMs)} UTC: ${number(bucket[kind])} ${kind}`}</title>
              </rect>
            )
          );
        })}
      </svg>
    </div>
  );
}

/** Decisions over time as two charts, and as a table. */
export function Timeline({ view }: { view: LogView }) {
  const { buckets, widthMs } = view;
  const [first, last] = [buckets[0], buckets.at(-1)];
  if (first === undefined || last === undefined) return null;
  const filled = buckets.filter(({ denied, allowed }) => denied + allowed > 0);
  return (
    <figure class="card timeline" aria-label="Decisions over time">
      <div class="panels" style={{ maxWidth: `${Math.max(240, buckets.length * 48)}px` }}>
        <Panel kind="denied" view={view} />
        <Panel kind="allowed" view={view} />
        <p class="axis quiet">
          <span>{timeText(first.from, widthMs)} UTC</span>
          {buckets.length > 1 && <span>{timeText(last.from, widthMs)} UTC</span>}
        </p>
      </div>
      <details>
        <summary>As a table: {counted(filled.length, 'interval')} with decisions</summary>
        <table class="counts summary-body">
          <Heads columns={[[`From (UTC), for ${widthText(widthMs)}`], ['Denied', 'count'], ['Allowed', 'count']]} />
          <tbody>
            {filled.map(({ from, denied, allowed }) => (
              <tr key={from}>
                <th scope="row">{timeText(from, widthMs)}</th>
                <td class="count">{number(denied)}</td>
                <td class="count">{number(allowed)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
