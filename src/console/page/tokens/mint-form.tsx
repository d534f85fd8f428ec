import { useState } from 'preact/hooks';
import type { ConsoleState, ForgeOrder, MadeToken } from '../../api.js';
import { useSession } from '../page-session.js';
import { Check, Choice, Form, TextField } from '../ui/field.js';
import { CopyButton, Problem } from '../ui/small.js';
import { messageOf } from '../ui/use-loaded.js';
import { useValue, type Value } from '../ui/value.js';
import { listed } from '../ui/words.js';

interface MintFormProps {
  readonly users: Value<ConsoleState | undefined>;
  /** Called with the new token, to show its content. */
  onRead(token: string): void;
}

const flaws = [
  ['', 'None: a valid token'],
  ['expired', 'Expired a second ago'],
  ['notYetValid', 'Valid in an hour'],
  ['wrongKey', 'Signed by another key'],
  ['none', 'No signature (alg: none)'],
  ['HS256', 'Signed with HS256'],
  ['HS384', 'Signed with HS384'],
  ['HS512', 'Signed with HS512'],
  ['ES256', 'Signed with ES256'],
] as const;

type Flaw = (typeof flaws)[number][0];

function flawOf(flaw: Flaw): Omit<ForgeOrder, 'user'> {
  switch (flaw) {
    case '':
      return {};
    case 'HS256':
    case 'HS384':
    case 'HS512':
    case 'ES256':
      return { algorithm: flaw };
    default:
      return { [flaw]: true };
  }
}

interface MadeTokenViewProps {
  readonly made: MadeToken;
  readonly onRead: (token: string) => void;
}

function MadeTokenView({ made: { token, report }, onRead }: MadeTokenViewProps) {
  return (
    <>
      <p class={report.valid ? 'problem allow' : 'problem deny'}>
        {report.valid ? 'Made a valid token.' : `Made a token that is not valid: ${report.why}`}
      </p>
      <pre>{token}</pre>
      <div class="row">
        <CopyButton label="Copy the token" text={() => token} />
        <button type="button" onClick={() => onRead(token)}>
          Read it
        </button>
      </div>
    </>
  );
}

/** Creates a token for a user, valid or with the chosen flaws. */
export function MintForm({ users, onRead }: MintFormProps) {
  const { api } = useSession();
  const state = useValue(users);
  const [user, setUser] = useState('');
  const [isSuperuser, setSuperuser] = useState(false);
  const [groups, setGroups] = useState('');
  const [lifetime, setLifetime] = useState('');
  const [flaw, setFlaw] = useState<Flaw>('');
  const [claims, setClaims] = useState('');
  const [made, setMade] = useState<MadeToken>();
  const [problem, setProblem] = useState<string>();

  const make = async () => {
    setProblem(undefined);
    setMade(undefined);
    try {
      const order = {
        user: isSuperuser ? null : user,
        ...(groups.trim() === '' ? {} : { groups: listed(groups) }),
        ...(lifetime.trim() === '' ? {} : { lifetime: lifetime.trim() }),
      };
      // The cast: the backend checks that claims are an object.
      const ownClaims = claims.trim() === '' ? undefined : (JSON.parse(claims) as Record<string, unknown>);
      const isForged = flaw !== '' || ownClaims !== undefined;
      setMade(
        isForged
          ? await api.forge({ ...order, ...flawOf(flaw), ...(ownClaims === undefined ? {} : { claims: ownClaims }) })
          : await api.mint(order),
      );
    } catch (error) {
      setProblem(error instanceof SyntaxError ? 'The claims are not valid JSON.' : messageOf(error));
    }
  };

  return (
    <section class="stack" aria-label="Make a token">
      <h2>Make a token</h2>
      <Form onSend={make}>
        <div class="columns">
          <TextField
            label="User"
            value={isSuperuser ? '' : user}
            placeholder={isSuperuser ? 'None' : 'Name'}
            options={state?.users ?? []}
            onValue={setUser}
          />
          <TextField label="Groups" value={groups} options={state?.groups} placeholder="None" onValue={setGroups} />
          <TextField label="Lifetime" value={lifetime} placeholder="As configured, or 10m" onValue={setLifetime} />
          <Choice
            label="Flaw"
            value={flaw}
            choices={flaws}
            onValue={(value) => setFlaw(flaws.find(([name]) => name === value)?.[0] ?? '')}
          />
        </div>
        <TextField
          label="Claims that override the usual ones"
          mono
          value={claims}
          placeholder='{"iss": "other"}'
          onValue={setClaims}
        />
        <div class="row">
          <Check label="Superuser" checked={isSuperuser} onChecked={setSuperuser} />
          <button type="submit" class="primary push" disabled={!isSuperuser && user === ''}>
            {flaw === '' && claims.trim() === '' ? 'Mint' : 'Forge'}
          </button>
        </div>
      </Form>
      <div aria-live="polite" class="stack tight">
        <Problem text={problem} />
        {made && <MadeTokenView made={made} onRead={onRead} />}
      </div>
    </section>
  );
}
