import { useState } from 'preact/hooks';
import { useSession } from '../page-session.js';
import { AreaField } from '../ui/field.js';
import { Empty, Problem } from '../ui/small.js';
import { useLoaded } from '../ui/use-loaded.js';
import { useValue } from '../ui/value.js';
import { MintForm } from './mint-form.js';
import { TokenReportView } from './token-report.js';

/**
 * Shows the content of a pasted token, and creates valid and invalid ones. Tokens are never put into the address or the
 * browser's storage.
 */
export function TokensView() {
  const session = useSession();
  const changes = useValue(session.changes);
  const [text, setText] = useState('');
  const token = text.trim().replace(/^bearer\s+/i, '');
  const { value, problem } = useLoaded(
    () => (token === '' ? undefined : session.api.token({ text: token })),
    [token, changes],
    60,
  );
  return (
    <div class="page halves">
      <section class="stack" aria-label="Read a token">
        <h2>Read a token</h2>
        <AreaField
          label="Token"
          rows={5}
          value={text}
          placeholder="Paste a token, with or without Bearer"
          hint={session.overview.kind === 'deployment' ? 'It is sent to validate only, and kept nowhere.' : undefined}
          onValue={setText}
        />
        <div aria-live="polite" class="stack">
          <Problem text={problem} />
          {value && <TokenReportView report={value} />}
        </div>
        {token === '' && (
          <Empty title="No token yet">
            <p>Paste one to see its claims, its times and why it is valid or not.</p>
          </Empty>
        )}
      </section>
      {session.overview.capabilities.mint && <MintForm users={session.state} onRead={setText} />}
    </div>
  );
}
