import type { EditPreview } from '../../api.js';
import { AccessChange } from './access-change.js';
import { Findings } from './findings.js';

/** The effects of an edit and the call that makes it. */
export function PreviewView({ preview: { gained, lost, notCompared, findings, call } }: { preview: EditPreview }) {
  return (
    <>
      <AccessChange gained={gained} lost={lost} notCompared={notCompared} />
      <Findings title="New lint findings" findings={findings} />
      <p class="quiet">
        The call: <code>{call.method}</code> <code>{call.path}</code>
      </p>
    </>
  );
}
