import { globSync, readFileSync } from 'node:fs';
import { parse } from 'acorn';
import { full } from 'acorn-walk';
import { transform } from 'esbuild';
import { expect, test } from 'vitest';
import { root } from '../scripts/lib/exec.ts';

/** The files of src that set timers, and why they do not wait with src/base/lib/wait.ts. */
const reasons: Readonly<Record<string, string>> = {
  'src/base/lib/wait.ts': 'the home of waiting',
  'src/client/connection/deadline.ts':
    'one timer for each call, which aborts it, and one set anew with each chunk; promises would slow down every call',
  'src/client/connection/lifetime.ts': 'aborts the calls that outlast the grace of close, which waits for the calls',
  'src/enforce/replica/heartbeat.ts': 'an interval that notices a suspended process',
  'src/enforce/replica/slices.ts': 'gives the event loop a turn; no time passes',
  'src/enforce/replica/status.ts': 'set anew with each message, so that a promise for each would be wasted',
  'src/enforce/replica/http2-connection.ts': 'destroys a session that does not answer pings; nothing waits for it',
  'src/client/session/lock.ts': 'gives up the request of a lock; nothing waits for it',
  'src/client/session/renewal.ts': 'set anew with each token; nothing waits for it',
  'src/client/session/permission-answers.ts':
    'sends the questions of a moment together, and refreshes them; nothing waits for it',
  'src/mock/adapters/node/listen.ts': 'cuts connections that stay open after close; nothing waits for it',
  'src/mock/adapters/node/both-versions.ts': 'disconnects idle clients; does not keep the process running',
  'src/mock/adapters/node/timeouts.ts': 'ends idle streams and sessions; does not keep the process running',
  'src/console/server/event-stream.ts': 'an interval that keeps the connection alive',
  'src/console/page/page-session.ts': 'takes a message away; nothing waits for it',
  'src/console/page/ui/use-loaded.ts': 'waits for typing to pause; the next key starts it anew',
  'src/enforce/guard/shadow.ts': 'asks the questions of 10 ms together, and gives up late ones; nothing waits for it',
  'src/tools/command/doctor/certificate.ts': 'ends a handshake that takes too long; nothing waits for it',
  'src/tools/command/doctor/obtain-token.ts': 'leaves a login that hangs; does not keep the process running',
  'src/tools/command/doctor/stream-pieces.ts': 'ends listening to a stream; nothing waits for it',
  'src/tools/command/index.ts': 'ends the process over connections that hang; does not keep it running',
  'src/tools/command/mock/beside.ts': 'an interval that renews a token; does not keep the process running',
  'src/tools/command/mock/npx.ts': 'an interval that looks for the parent process',
};

/** The names in the code by which timers are set; types and comments do not count. */
async function timersOf(code: string): Promise<string[]> {
  const found: string[] = [];
  // Most files name none of these, and need no parser.
  if (!/set(?:Timeout|Interval|Immediate)|timers|AbortSignal/.test(code)) return found;
  const { code: script } = await transform(code, { loader: 'ts', target: 'es2022', tsconfigRaw: {} });
  full(parse(script, { ecmaVersion: 'latest', sourceType: 'module' }), (node) => {
    const { type, name, value, object, property } = node as {
      readonly type: string;
      readonly name?: string;
      readonly value?: unknown;
      readonly object?: { readonly name?: string };
      readonly property?: { readonly name?: string };
    };
    if (type === 'Identifier' && /^set(?:Timeout|Interval|Immediate)$/.test(name ?? '')) found.push(String(name));
    if (type === 'Literal' && /^(?:node:)?timers(?:\/promises)?$/.test(String(value))) found.push(String(value));
    if (type === 'MemberExpression' && /^set(?:Timeout|Interval)$/.test(property?.name ?? '')) found.push('a member');
    if (type === 'MemberExpression' && object?.name === 'AbortSignal' && property?.name === 'timeout') {
      found.push('AbortSignal.timeout');
    }
  });
  return found;
}

test('timers are set in lib/wait.ts, and in the files that have a reason', async () => {
  const files = globSync('src/**/*.ts', { cwd: root });
  const found = await Promise.all(files.map(async (file) => [file, await timersOf(readFileSync(root + file, 'utf8'))]));
  expect(found.flatMap(([file, timers]) => (timers?.length ? [file] : [])).sort()).toEqual(Object.keys(reasons).sort());
});

test.each([
  ['setTimeout(() => undefined, 1)', true],
  ['globalThis.setTimeout(() => undefined, 1)', true],
  ['const later = setInterval;', true],
  ["import { setTimeout as later } from 'node:timers/promises'; await later(1);", true],
  ['fetch(url, { signal: AbortSignal.timeout(5) })', true],
  ['// setTimeout(f)\nlet timer: ReturnType<typeof setTimeout>;', false],
] as const)('finds a timer in %j: %s', async (code, sets) => {
  expect((await timersOf(code)).length > 0).toBe(sets);
});
