import type { FileComparison } from '../../api.js';

/** The problems of a permissions file, each with its place. */
export function FileProblems({ problems }: Pick<FileComparison, 'problems'>) {
  if (problems.length === 0) return null;
  return (
    <ul class="stack tight">
      {problems.map(({ place, message }) => (
        <li key={`${place} ${message}`} class="problem deny">
          {place !== '' && <code>{place}</code>} {message}
        </li>
      ))}
    </ul>
  );
}
