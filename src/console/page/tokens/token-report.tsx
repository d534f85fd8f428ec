import type { TokenReport, TokenTime } from '../../api.js';
import { Fact, Time } from '../ui/small.js';

const labels: Readonly<Record<TokenTime['claim'], readonly [past: string, future: string]>> = {
  exp: ['Expired', 'Expires'],
  nbf: ['Valid since', 'Becomes valid'],
  iat: ['Issued', 'Issued'],
};

function labelOf({ claim, words }: TokenTime): string {
  return labels[claim][/^in /.test(words) ? 1 : 0];
}

/** Shows a token's content and the platform's verdict on it. */
export function TokenReportView({ report }: { report: TokenReport }) {
  const { valid, why, user, groups, superuser, times, claims, header } = report;
  return (
    <div class="stack">
      <p class={valid ? 'problem allow' : 'problem deny'}>
        <strong>{valid ? 'Valid' : 'Not valid'}</strong>
        {why !== null && `: ${why}`}
      </p>
      <dl class="facts">
        <Fact name="User">{superuser ? 'None: a superuser’s token' : (user ?? 'Not known')}</Fact>
        {groups.length > 0 && <Fact name="Groups">{groups.join(', ')}</Fact>}
        {times.map((time) => (
          <Fact key={time.claim} name={labelOf(time)}>
            {time.words}{' '}
            <small>
              <Time time={time.time} />
            </small>
          </Fact>
        ))}
      </dl>
      <Values title="Claims" values={claims} />
      <Values title="Header" values={header} />
    </div>
  );
}

function Values({ title, values }: { title: string; values: TokenReport['claims'] }) {
  if (values.length === 0) return null;
  return (
    <section class="stack tight">
      <h3>{title}</h3>
      <dl class="facts mono">
        {values.map(([name, json]) => (
          <Fact key={name} name={name}>
            {json}
          </Fact>
        ))}
      </dl>
    </section>
  );
}
