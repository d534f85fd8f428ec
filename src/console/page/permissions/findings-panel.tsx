import type { ConsoleFinding } from '../../api.js';

interface FindingsProps {
  readonly findings: readonly ConsoleFinding[];
  /** Shows only findings about this item. Default: all findings. */
  readonly about?: ConsoleFinding['about'] | undefined;
  readonly title?: string;
}

function keyOf(about: ConsoleFinding['about']): string {
  return JSON.stringify(Object.values(about));
}

export function Findings({ findings, about, title }: FindingsProps) {
  const shown = about === undefined ? findings : findings.filter((finding) => keyOf(finding.about) === keyOf(about));
  if (shown.length === 0) return null;
  return (
    <div class="stack tight">
      {title && <h3>{title}</h3>}
      <ul class="stack tight">
        {shown.map(({ rule, message, place }) => (
          <li key={`${rule} ${place} ${message}`} class="problem warn">
            {message} <small>{place === '' ? rule : `${rule}, ${place}`}</small>
          </li>
        ))}
      </ul>
    </div>
  );
}
