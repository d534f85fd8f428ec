import type { TokenReport, TokenTime } from '../../api.js';

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
        <dt>User</dt>
        <dd>{superuser ? 'None: a superuser’s token' : (user ?? 'Not known')}</dd>
        {groups.length > 0 && (
          <>
            <dt>Groups</dt>
            <dd>{groups.join(', ')}</dd>
          </>
        )}
        {times.map((one) => (
          <TimeRow key={one.claim} time={one} />
        ))}
      </dl>
      <Values title="Claims" values={claims} />
      <Values title="Header" values={header} />
    </div>
  );
}

function TimeRow({ time }: { time: TokenTime }) {
  return (
    <>
      <dt>{labelOf(time)}</dt>
      <dd>
        {time.words}{' '}
        <small>
          <time dateTime={time.time}>{time.time.replace('T', ' ').replace(/\.\d+Z|Z/, ' UTC')}</time>
        </small>
      </dd>
    </>
  );
}

function Values({ title, values }: { title: string; values: TokenReport['claims'] }) {
  if (values.length === 0) return null;
  return (
    <section class="stack tight">
      <h3>{title}</h3>
      <dl class="facts mono">
        {values.flatMap(([name, json]) => [
          <dt key={`${name} name`}>{name}</dt>,
          <dd key={`${name} value`}>{json}</dd>,
        ])}
      </dl>
    </section>
  );
}
