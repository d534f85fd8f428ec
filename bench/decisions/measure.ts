import { createReadStream } from 'node:fs';
import { rehearse, replay } from '../../dist/analysis/index.js';
import { readDecisions } from '../../dist/decisions/index.js';
import { createEvaluator } from '../../dist/policy/index.js';
import { makeState } from './log.ts';

// Runs by itself, so that the memory is that of this work: `node measure.ts rehearse <file>`.
const [work, file = ''] = process.argv.slice(2);
const evaluator = createEvaluator(makeState(), { fidelity: 'sidecar' });
const log = readDecisions(createReadStream(file, { highWaterMark: 262_144 }));
const [started, cpu] = [performance.now(), process.cpuUsage()];
const answer = work === 'replay' ? await replay(log, evaluator) : await rehearse(log, evaluator);
const passed = (performance.now() - started) / 1_000;
const { user, system } = process.cpuUsage(cpu);
const memory = (process.resourceUsage().maxRSS / 1_024).toFixed(0);
const found = 'revoked' in answer ? `${answer.revoked.count} revoked` : `${answer.denied.count} denied`;
const times = `${passed.toFixed(1)} s, ${((user + system) / 1e6).toFixed(1)} s CPU, ${memory} MiB at most`;
console.log(`${times}; ${answer.log.count} decisions, ${answer.log.questions} questions, ${found}`);
