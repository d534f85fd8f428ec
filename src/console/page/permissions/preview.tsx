import type { AccessRow, EditPreview } from '../../api.js';
import { Findings } from './findings.js';

/** The access that users gain and lose by an edit. */
export function PreviewView({ preview: { gained, lost, findings, call } }: { preview: EditPreview }) {
  return (
    <>
      {gained.length === 0 && lost.length === 0 && <p class="quiet">Nobody gains or loses access.</p>}
      <AccessRows title="Gained" look="allow" rows={gained} />
      <AccessRows title="Lost" look="deny" rows={lost} />
      <Findings title="New lint findings" findings={findings} />
      <p class="quiet">
        The call: <code>{call.method}</code> <code>{call.path}</code>
      </p>
    </>
  );
}

interface AccessRowsProps {
  readonly title: string;
  readonly look: 'allow' | 'deny';
  readonly rows: readonly AccessRow[];
}

/** Regions that users gain or lose. */
export function AccessRows({ title, look, rows }: AccessRowsProps) {
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
