import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { Policy, PolicyState } from '../../src/policy/index.ts';
import { makeData, tenantScope, verbs } from '../policy/data.ts';

const [users, services, denied] = [1_000, 20, 10];

/** The fields of a decision: 50 000 distinct questions, and a line for each twentieth part of a second of a day. */
function fieldsOf(i: number) {
  const question = (i * 7_919) % 50_000;
  const user = question % users;
  return {
    time: new Date(1_795_000_000_000 + i * 50).toISOString(),
    user: `user${user}`,
    action: `service${question % services}:${verbs[question % verbs.length]}`,
    resource: `t${question % 100}:p${question % 10}:item${question}`,
    effect: user < denied ? 'Deny' : 'Allow',
  };
}

/**
 * 10 000 bindings and 1 000 roles that decide other questions, and roles that allow those of the log, except those of
 * ten users of a thousand.
 */
export function makeState(): PolicyState {
  const { policies, roles, bindings } = makeData(10_000);
  const names = Array.from({ length: services }, (_, i) => `service${i}`);
  return {
    policies: new Map<string, Policy>([
      ...policies,
      ...names.map((name) => {
        const statement = { effect: 'Allow' as const, actions: [`${name}:*`], resources: ['*'] };
        return [name, { statements: [statement] }] as const;
      }),
    ]),
    roles: new Map([...roles, ['staff', { policies: names }]]),
    bindings: [
      ...bindings.map((one) => ({ ...one, user: `other-${one.user}` })),
      ...Array.from({ length: users - denied }, (_, i) => {
        return { user: `user${i + denied}`, role: 'staff', scope: tenantScope('*') };
      }),
    ],
  };
}

/** A line of each format that the reader knows. */
export const formats = {
  'lines of this package': (i: number) => {
    const { time, user, action, resource, effect } = fieldsOf(i);
    const subject = { user, groups: ['staff'] };
    const because = [{ role: 'role1', policy: 'policy1', statement: 0 }];
    const decision = { service: 'orders', subject, action, resource, effect, reason: 'allowed', enforced: false };
    return JSON.stringify({ v: 1, kind: 'decision', time, ...decision, source: 'replica', because, durationUs: 0.7 });
  },
  'JSON lines of the platform': (i: number) => {
    const { time, user, action, resource, effect } = fieldsOf(i);
    const isAllowed = effect === 'Allow';
    const fields = { level: 'info', method: 'Permissive.Evaluate', user, action, resource, roles: ['staff'] };
    const first = isAllowed ? 'Access Granted' : 'Permission denied';
    const rest = `"message":"${first}","time":"${time}","message":"${isAllowed ? 'Access Granted' : 'Access Denied'}"`;
    return `${JSON.stringify({ ...fields, context: 'null' }).slice(0, -1)},${rest}}`;
  },
  'pretty lines of the platform': (i: number) => {
    const { time, user, action, resource, effect } = fieldsOf(i);
    const begin = `${time} INF Access ${effect === 'Allow' ? 'Granted' : 'Denied'} action=${action} context=null`;
    return `${begin} method=Permissive.Evaluate resource=${resource} roles=["staff"] user=${user}`;
  },
};

/** Writes lines to a file, and returns its size. */
export async function writeLog(file: string, lineOf: (i: number) => string, count: number): Promise<number> {
  const stream = createWriteStream(file);
  const batch = 1_000;
  for (let start = 0; start < count; start += batch) {
    const lines = Array.from({ length: batch }, (_, i) => `${lineOf(start + i)}\n`).join('');
    if (!stream.write(lines)) await once(stream, 'drain');
  }
  stream.end();
  await finished(stream);
  return stream.bytesWritten;
}
