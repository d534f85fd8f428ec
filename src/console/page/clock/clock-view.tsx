import { useSession } from '../page-session.js';
import { ClockPanel } from './clock-panel.js';
import { ExportPanel } from './export-panel.js';
import { FaultsPanel } from './faults-panel.js';
import { SnapshotsPanel } from './snapshots-panel.js';

export function ClockView() {
  const { clock, faults, snapshots, exports } = useSession().overview.capabilities;
  return (
    <div class="page halves">
      <div class="stack">
        {clock && <ClockPanel />}
        {snapshots && <SnapshotsPanel />}
        {exports.length > 0 && <ExportPanel kinds={exports} />}
      </div>
      {faults && <FaultsPanel />}
    </div>
  );
}
