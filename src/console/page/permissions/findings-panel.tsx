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
  const selection =
    about === undefined ? findings : findings.filter((finding) => keyOf(finding.about) === keyOf(about));
  if (selection.length === 0) return null;
  // The same finding about many bindings is one line.
  const counts = new Map<string, ConsoleFinding & { readonly count: number }>();
  for (const finding of selection) {
    const key = `${finding.rule} ${finding.place} ${finding.message}`;
    counts.set(key, { ...finding, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return (
    <div class="stack tight">
      {title && <h3>{title}</h3>}
      <ul class="stack tight">
        {Array.from(counts, ([finding, { rule, message, place, count }]) => (
          <li key={finding} class="problem warn">
            {message} <small>{place === '' ? rule : `${rule}, ${place}`}</small>
            {count > 1 && <strong> × {count}</strong>}
          </li>
        ))}
      </ul>
    </div>
  );
}
