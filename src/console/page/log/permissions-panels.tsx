import type { ConsoleState } from '../../api.js';
import { FileProblems } from '../compare/file-problems.js';
import { noteOthers, useSession } from '../page-session.js';
import { FileField, permissionsField } from '../ui/file-field.js';
import { Problem } from '../ui/small.js';
import { useDroppedFile } from '../ui/use-dropped-file.js';
import { useLoaded } from '../ui/use-loaded.js';
import { shown } from '../ui/words.js';
import type { OpenLog } from './open-logs.js';
import type { LogState } from './reader-messages.js';
import { EnforcedView, ReplayedView } from './replayed-view.js';
import { UnusedView } from './unused-view.js';

/** The most rows of each list. */
const most = 100;

interface PanelProps {
  readonly log: OpenLog;
  readonly state: ConsoleState;
}

/** The parts of a state that decide. */
const deciding = ({ policies, roles, bindings, groupBindings, fidelity }: ConsoleState): LogState => ({
  policies,
  roles,
  bindings,
  groupBindings,
  fidelity,
});

/** The effect of enforcing the permissions of the console, with its edits, on the requests of the log. */
export function StatePanel({ log, state }: PanelProps) {
  const { value, problem } = useLoaded(
    () => log.ask('replay', { state: deciding(state), baseline: undefined, most }),
    [log, state.revision],
  );
  return (
    <section class="card stack tight" aria-label="By the permissions of the console">
      <h2>By the permissions of the console</h2>
      <p class="quiet">The log decided again by the policies, roles and bindings that the console shows.</p>
      <Problem text={problem} />
      {value && <EnforcedView replayed={value} />}
    </section>
  );
}

/** The decisions of the log that a permissions file would turn around. */
export function FilePanel({ log, state }: PanelProps) {
  const session = useSession();
  const { api, overview } = session;
  const { dropped, unread, take } = useDroppedFile((file, dropped) => noteOthers(session, file, dropped));
  const name = dropped?.name ?? overview.file;
  const { value, problem } = useLoaded(() => {
    if (name === null) return undefined;
    const replay = async () => {
      const { problems, state: after } = await api.fileState(dropped === undefined ? {} : { text: dropped.text });
      if (after === null) return { of: dropped, problems, replayed: undefined };
      const baseline = deciding(state);
      const question = { state: { ...after, fidelity: state.fidelity }, baseline, most };
      return { of: dropped, problems, replayed: await log.ask('replay', question) };
    };
    return replay();
  }, [log, state.revision, dropped]);
  // The changes of an earlier file must not stand below the name of this one.
  const outcome = value?.of === dropped ? value : undefined;
  return (
    <section class="card stack tight" aria-label="What a permissions file would change">
      <h2>{name === null ? 'What a permissions file would change' : `What ${shown(name)} would change`}</h2>
      <p class="quiet">The log decided by the permissions of the console, and by those after the file is applied.</p>
      <FileField {...permissionsField} onFile={take} />
      <Problem text={unread ?? problem} />
      {outcome && <FileProblems problems={outcome.problems} />}
      {outcome?.replayed && <ReplayedView replayed={outcome.replayed} />}
    </section>
  );
}

/** The parts of the permissions of the console that decided nothing. */
export function UnusedPanel({ log, state }: PanelProps) {
  const { value, problem } = useLoaded(() => log.ask('usage', { state: deciding(state), most }), [log, state.revision]);
  return (
    <section class="card stack tight" aria-label="Unused permissions">
      <h2>Unused permissions</h2>
      <Problem text={problem} />
      {value && <UnusedView unused={value} />}
    </section>
  );
}
