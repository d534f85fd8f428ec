import type { FileComparison } from '../../api.js';
import { noteOthers, useSession } from '../page-session.js';
import { AccessChange } from '../permissions/access-change.js';
import { FileField, permissionsField } from '../ui/file-field.js';
import { Empty, Problem } from '../ui/small.js';
import { useDroppedFile } from '../ui/use-dropped-file.js';
import { useLoaded } from '../ui/use-loaded.js';
import { useValue } from '../ui/value.js';
import { shown } from '../ui/words.js';
import { FileProblems } from './file-problems.js';

/** Compares the live state with a permissions file, from the command line or dropped onto the page. */
export function CompareView() {
  const session = useSession();
  const { compareText, compareGiven } = session.overview.capabilities;
  const state = useValue(session.state);
  const { dropped, unread, take } = useDroppedFile((file, dropped) => noteOthers(session, file, dropped));
  const { value, problem } = useLoaded(() => {
    if (dropped === undefined && !compareGiven) return undefined;
    const answer = session.api.compareFile(dropped === undefined ? {} : { text: dropped.text });
    return answer.then((comparison) => ({ of: dropped, comparison }));
  }, [dropped, state?.revision]);
  // The comparison of an earlier file must not stand below the name of this one.
  const comparison = value?.of === dropped ? value?.comparison : undefined;
  const name = dropped?.name ?? session.overview.file;
  return (
    <div class="page">
      <h2>{name === null ? 'Compare with a permissions file' : `Compare with ${shown(name)}`}</h2>
      {compareText && <FileField {...permissionsField} onFile={take} />}
      <div aria-live="polite" class="stack">
        <Problem text={unread ?? problem} />
        {comparison && <ComparisonView comparison={comparison} />}
        {!comparison && name === null && (
          <Empty title="No file yet">
            <p>Drop a permissions.yaml to see what applying it would change, and who would gain or lose access.</p>
          </Empty>
        )}
      </div>
    </div>
  );
}

function ComparisonView({ comparison }: { comparison: FileComparison }) {
  const { problems, gained, lost, notCompared, plan } = comparison;
  if (problems.length > 0) return <FileProblems problems={problems} />;
  if (plan === '' && gained.length === 0 && lost.length === 0) {
    return <p class="problem allow">The state is as the file says.</p>;
  }
  return (
    <>
      <h3>Applying the file would change</h3>
      <pre>{plan}</pre>
      <AccessChange gained={gained} lost={lost} notCompared={notCompared} />
    </>
  );
}
