import type { AccessRow } from '../../api.js';

interface AccessChangeProps extends Readonly<Record<'gained' | 'lost', readonly AccessRow[]>> {
  readonly notCompared: string;
}

/** The access that users gain and lose by an edit or a file. */
export function AccessChange({ gained, lost, notCompared }: AccessChangeProps) {
  const isSame = gained.length === 0 && lost.length === 0 && notCompared === '';
  if (isSame) return <p class="quiet">No access is gained or lost.</p>;
  return (
    <>
      {notCompared && <p class="problem">Access of {notCompared} was not compared: it would take too long.</p>}
      <AccessRows title="Gained" look="allow" rows={gained} />
      <AccessRows title="Lost" look="deny" rows={lost} />
    </>
  );
}

interface AccessRowsProps {
  readonly title: string;
  readonly look: 'allow' | 'deny';
  readonly rows: readonly AccessRow[];
}

/** Regions that users gain or lose. */
function AccessRows({ title, look, rows }: AccessRowsProps) {
  return rows.length === 0 ? null : (
    <div class={`problem ${look}`}>
      <h3>{title}</h3>
      <ul>
        {rows.map(({ text }) => (
          <li key={text} class="mono lines">
            {text}
          </li>
        ))}
      </ul>
    </div>
  );
}
