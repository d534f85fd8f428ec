import type { EditPreview } from '../../api.js';
import { AccessChange } from './access-change.js';
import { Findings } from './findings-panel.js';

/** Shows an edit's effects and the API call that would make it. */
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
