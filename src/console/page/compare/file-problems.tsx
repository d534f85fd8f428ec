import type { FileComparison } from '../../api.js';
import { shown } from '../ui/words.js';

/** The longest message that is shown whole: it may quote names of the file. */
const longestMessage = 1_000;

/** The problems of a permissions file, each with its place. */
export function FileProblems({ problems }: Pick<FileComparison, 'problems'>) {
  if (problems.length === 0) return null;
  return (
    <ul class="stack tight">
      {problems.map(({ place, message }) => (
        <li key={`${place} ${message}`} class="problem deny">
          {place !== '' && <code>{shown(place)}</code>} {shown(message, longestMessage)}
        </li>
      ))}
    </ul>
  );
}
