import { replay } from '../dist/analysis/index.js';
import { readDecisions } from '../dist/decisions/index.js';
import { createEvaluator } from '../dist/policy/index.js';
import { makeData, verbs } from './policy/data.ts';

const million = 1_000_000;
/** Of about 64 KiB each, as a file is read. */
const pieces = 5_000;

/** The fields of a decision: 50 000 distinct questions, and a line for each twentieth second of a day. */
function fieldsOf(i: number) {
  const question = (i * 7_919) % 50_000;
  return {
    time: new Date(1_795_000_000_000 + i * 50).toISOString(),
    user: `user${question % 1_000}`,
    action: `service${question % 20}:${verbs[question % verbs.length]}`,
    resource: `t${question % 100}:p${question % 10}:item${question}`,
    effect: question % 10 === 0 ? 'Deny' : 'Allow',
  };
}

const formats = {
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

/** Replays a million lines of each format, and prints the time and the memory beside the log itself. */
export async function run(): Promise<void> {
  const evaluator = createEvaluator(makeData(10_000));
  for (const [name, lineOf] of Object.entries(formats)) {
    const encoder = new TextEncoder();
    const chunks = Array.from({ length: pieces }, (_, at) =>
      encoder.encode(
        Array.from({ length: million / pieces }, (_, i) => `${lineOf((at * million) / pieces + i)}\n`).join(''),
      ),
    );
    const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss());
    }, 20);
    const [started, cpu] = [performance.now(), process.cpuUsage()];
    const { log, gained, revoked } = await replay(readDecisions(stream(chunks)), evaluator);
    const passed = (performance.now() - started) / 1_000;
    const { user, system } = process.cpuUsage(cpu);
    clearInterval(watch);
    const memory = ((most - bytes) / 1_048_576).toFixed(0);
    const times = `${passed.toFixed(1)} s, ${((user + system) / 1e6).toFixed(1)} s CPU`;
    console.log(`  ${name.padEnd(30)} ${times}, ${memory} MiB; ${log.count} decisions, ${log.questions} questions,`);
    console.log(`  ${''.padEnd(30)} ${gained.count} gained, ${revoked.count} revoked`);
  }
}

/** Gives way between chunks, as a file does. */
async function* stream(chunks: readonly Uint8Array[]) {
  for (const [i, chunk] of chunks.entries()) {
    if (i % 20 === 0) await new Promise(setImmediate);
    yield chunk;
  }
}
