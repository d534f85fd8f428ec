import { useState } from 'preact/hooks';
import type { Exported, ExportKind } from '../../api.js';
import { useSession } from '../page-session.js';
import { Check, Choice, Form } from '../ui/field.js';
import { CopyButton, Problem } from '../ui/small.js';
import { useAction } from '../ui/use-action.js';

const names: Readonly<Record<ExportKind, string>> = {
  seed: 'Seed file',
  createMock: 'createMock call',
  permissions: 'permissions.yaml',
};

function download({ fileName, mediaType, text }: Exported): void {
  const url = URL.createObjectURL(new Blob([text], { type: mediaType }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 1_000);
}

/** Offers exports of the state. Passwords and keys are included only if their box is ticked. */
export function ExportPanel({ kinds }: { kinds: readonly ExportKind[] }) {
  const { api } = useSession();
  const [kind, setKind] = useState<ExportKind>(kinds[0] ?? 'seed');
  const [secrets, setSecrets] = useState(false);
  const [exported, setExported] = useState<Exported>();
  const { problem, run } = useAction();
  const hasSecrets = kind !== 'permissions';
  const make = () => run(async () => setExported(await api.exportAs({ kind, secrets: secrets && hasSecrets })));
  return (
    <section class="card stack" aria-label="Export">
      <h2>Export</h2>
      <Form look="row end" onSend={make}>
        <Choice
          label="Form"
          value={kind}
          choices={kinds.map((kind) => [kind, names[kind]])}
          onValue={(value) => {
            setKind(kinds.find((kind) => kind === value) ?? kind);
            setExported(undefined);
          }}
        />
        {hasSecrets && (
          <Check
            label="With passwords and keys"
            checked={secrets}
            onChecked={(checked) => {
              setSecrets(checked);
              setExported(undefined);
            }}
          />
        )}
        <button type="submit" class="push">
          Export
        </button>
      </Form>
      <Problem text={problem} />
      {exported && (
        <>
          {exported.notes.map((note) => (
            <p key={note} class="quiet">
              {note}
            </p>
          ))}
          <textarea readOnly rows={14} aria-label={exported.fileName} value={exported.text} />
          <div class="row">
            <CopyButton label="Copy" text={() => exported.text} />
            <button type="button" onClick={() => download(exported)}>
              Save as {exported.fileName}
            </button>
          </div>
        </>
      )}
    </section>
  );
}
