import { useEffect, useRef, useState } from 'preact/hooks';
import type { ConsoleQuestion } from '../../api.js';
import { narrow, remember, useSession } from '../page-session.js';
import { Choice, TextField } from '../ui/field.js';
import { AnswerView } from '../ui/loaded-answer.js';
import { Empty, Problem } from '../ui/small.js';
import { useLoaded } from '../ui/use-loaded.js';
import { useValue } from '../ui/value.js';
import { listed } from '../ui/words.js';
import { WhoCan } from '../who-can/who-can-view.js';

/** The subject in the fields; undefined if none is typed yet. The backend reads a token. */
function subjectOf(as: string, user: string, roles: string, token: string): ConsoleQuestion['subject'] | undefined {
  if (as === 'token') return token.trim() === '' ? undefined : { token: token.trim() };
  const names = listed(roles);
  if (user === '') return names.length === 0 ? undefined : { roles: names };
  return names.length === 0 ? { user } : { user, roles: names };
}

/** Answers a question while it is typed. */
export function WhatIfView() {
  const session = useSession();
  const state = useValue(session.state);
  const { filters } = useValue(session.address);
  const { as = 'user', user = '', roles = '', action = '', resource = '' } = filters;
  // Kept out of the address, because a token is a secret.
  const [token, setToken] = useState('');
  const set = (name: string) => (value: string) => narrow(session, 'what-if', { [name]: value });
  const subject = subjectOf(as, user, roles, token);
  const { value, problem } = useLoaded(
    () => (subject === undefined || action === '' ? undefined : session.api.explain({ subject, action, resource })),
    [JSON.stringify(subject), action, resource, state?.revision],
    60,
  );
  // Remembered when the fields are left, so that the matrix gets a column for the action.
  const last = useRef(action);
  last.current = action;
  useEffect(() => () => remember(session.asked, last.current), [session]);
  // Older platforms in sidecar fidelity ignore the roles of a request.
  const named = session.overview.fidelity === 'documented' ? (state?.roles ?? []).map(({ name }) => name) : [];
  const groups = [...new Set([...(state?.groups ?? []), ...named])];
  return (
    <div class="page">
      <form class="card columns" aria-label="Question" onSubmit={(event) => event.preventDefault()}>
        <Choice
          label="Subject"
          value={as}
          onValue={set('as')}
          choices={[
            ['user', 'A user'],
            ['token', 'A token'],
          ]}
        />
        {as === 'token' ? (
          <TextField label="Token" mono value={token} placeholder="Paste a token" onValue={setToken} />
        ) : (
          <>
            <TextField label="User" value={user} options={state?.users ?? []} onValue={set('user')} />
            {(groups.length > 0 || roles !== '') && (
              <TextField
                label={named.length > 0 ? 'Groups and roles of the request' : 'Groups'}
                value={roles}
                placeholder="None"
                options={groups}
                onValue={set('roles')}
              />
            )}
          </>
        )}
        <TextField
          label="Action"
          mono
          value={action}
          options={state === undefined ? [] : [...state.actions, ...state.platformActions]}
          onValue={set('action')}
        />
        <TextField
          label="Resource"
          mono
          value={resource}
          options={state?.resources.slice(0, 500) ?? []}
          onValue={set('resource')}
        />
      </form>
      <section aria-live="polite" aria-label="Decision" class="stack tight">
        <Problem text={problem} />
        {value && (
          <div class="card">
            <AnswerView answer={value} />
          </div>
        )}
        {!value && problem === undefined && (
          <Empty title="Ask what would be decided">
            <p>Name a user or paste a token, and type an action like orders:read. The answer appears while you type.</p>
          </Empty>
        )}
      </section>
      <WhoCan action={action} resource={resource} revision={state?.revision} />
    </div>
  );
}
