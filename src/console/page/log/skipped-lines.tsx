import type { LogSummary } from '../../../policy/decisions/index.js';
import { Heads } from '../ui/small.js';
import { counted, number } from '../ui/words.js';
import { skipWords } from './log-words.js';

/** The lines of a log that gave no decision, by reason. */
export function SkippedLines({ skipped }: Pick<LogSummary, 'skipped'>) {
  if (skipped.length === 0) return null;
  const all = skipped.reduce((sum, { count }) => sum + count, 0);
  return (
    <details>
      <summary>{counted(all, 'line')} without a decision</summary>
      <table class="counts summary-body" aria-label="Lines without a decision">
        <Heads columns={[['Reason'], ['Lines', 'count'], ['First line', 'count']]} />
        <tbody>
          {skipped.map(({ reason, count, firstLine }) => (
            <tr key={reason}>
              <th scope="row">
                {reason}: <span class="quiet">{skipWords[reason]}</span>
              </th>
              <td class="count">{number(count)}</td>
              <td class="count">{number(firstLine)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
