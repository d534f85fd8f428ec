import { isObject } from '../../base/lib/values.js';
import { mockPool } from '../../mock/adapters/grpc/mock-pool.js';
import type { PoolCall, PoolTransport } from '../../policy/pool/pool-items.js';
import { capture } from './ask-questions.js';
import { type Check, partOf, type RunStep } from './checks/check.js';
import { writingChecks } from './checks/writing.js';
import { compareAnswers, type PartDifference } from './compare-answers.js';
import type { CheckFinding, RunParts } from './finding.js';
import { emptyState } from './known-state.js';
import { beating, marker, removeOwn } from './leftovers.js';
import type { Pace } from './pace.js';
import { fill, type QuestionAnswer, type Texts } from './question-exchange.js';
import { type Ask, askMock } from './side.js';
import { listen } from './stream-findings.js';

/** The services hear of a write within two seconds; a loaded deployment may need longer. */
const settleMs = 10_000;
const pollMs = 250;

/** The relation of an index to the one before it, which is comparable between deployments. */
function relate(answer: QuestionAnswer, pointer: string | undefined, before: number | undefined) {
  const index = pointer === '/index' && isObject(answer.body) ? answer.body.index : undefined;
  if (typeof index !== 'number') return { answer, index: before };
  const relation = before === undefined ? 'first' : index > before ? 'grows' : index === before ? 'same' : 'falls';
  return { answer: { ...answer, body: { ...(answer.body as object), index: relation } }, index };
}

/** Compares an answer, and asks again while it differs and the services may not know of a write yet. */
async function compareStep(
  step: RunStep,
  { clock, signal }: RunParts,
  ask: () => Promise<QuestionAnswer>,
  differences: (observed: QuestionAnswer) => PartDifference[],
): Promise<{ readonly parts: PartDifference[]; readonly observed: QuestionAnswer }> {
  const until = clock.now() + settleMs;
  // The number of tries counts, too: the clock may be set back.
  for (let again = 0; ; again++) {
    const observed = await ask();
    const parts = differences(observed);
    if (parts.length === 0 || !step.settles || clock.now() >= until || again >= settleMs / pollMs)
      return { parts, observed };
    await clock.sleep(pollMs, signal);
  }
}

/** A side that is asked, and the texts of its requests, to which answers are added. */
type Side = { readonly ask: Ask; readonly texts: Map<string, string> };

/** Asks the questions of a check on both sides in turn, and compares the answers. */
async function compareWrites(check: Check, run: RunParts, ours: Side, theirs: Side): Promise<CheckFinding> {
  // Policies, roles and bindings have an index each.
  const before = new Map<string | undefined, readonly [own: number | undefined, observed: number | undefined]>();
  const allParts: NonNullable<CheckFinding['parts']>[number][] = [];
  for (const step of check.steps) {
    const own = await ours.ask(fill(step.request, ours.texts));
    capture(step, own, ours.texts);
    const { method, path } = step.request;
    const [, kind] = /\/permissions\/(\w+)/.exec(path) ?? [];
    const [ownBefore, last] = before.get(kind) ?? [];
    const expected = relate(own, step.index, ownBefore);
    const { parts, observed } = await compareStep(
      step,
      run,
      () => theirs.ask(fill(step.request, theirs.texts)),
      (answer) => compareAnswers(expected.answer, relate(answer, step.index, last).answer, step.volatile),
    );
    capture(step, observed, theirs.texts);
    before.set(kind, [expected.index, relate(observed, step.index, last).index]);
    allParts.push(...parts.map((part) => ({ ...part, question: `${method} ${path}` })));
  }
  return { name: check.name, says: check.says, parts: allParts };
}

/** The changes of policies below the name of the run, in order. */
async function changesOf(transport: PoolTransport, texts: Texts, start: number, signal: AbortSignal | undefined) {
  const call: PoolCall = { kind: 'policies', changes: { start } };
  const { messages, error } = await listen(transport, call, texts.get('good'), signal);
  const own = messages.flat().filter(({ name }) => name.startsWith(`${texts.get('run')}-`));
  return { error, changes: own.map(({ name, item }) => `${item === undefined ? 'deleted' : 'written'} ${name}`) };
}

type WriteOutcome = { readonly findings: readonly CheckFinding[]; readonly left: readonly string[] };

const untried = (why: string): CheckFinding[] => writingChecks.map(({ name, says }) => ({ name, says, why }));

const indexOf = ({ body }: QuestionAnswer): number =>
  isObject(body) && typeof body.index === 'number' ? body.index : 0;

/** Runs the checks that write, and removes what they wrote, also when the run is stopped. */
export async function writeFindings(
  run: RunParts,
  name: string,
  pace: Pace,
  streams: PoolTransport | undefined,
): Promise<WriteOutcome> {
  const { deployment, preparation, fitting, settings, signal, state } = run;
  const theirs = new Map([...preparation.texts.deployment, ['run', name] as const]);
  const ours = new Map([...preparation.texts.mock, ['run', name] as const]);
  if (state === emptyState) return { findings: untried('the permissions cannot be read'), left: [] };
  const open = await fitting.mock(settings);
  if (open === undefined) return { findings: untried('no mock takes these permissions'), left: [] };
  await using mock = open;
  const first = { method: 'POST', ...marker(0) };
  const ask = beating(deployment.ask, theirs, run.clock);
  const findings: CheckFinding[] = [];
  try {
    const [own, observed] = [await askMock(mock)(fill(first, ours)), await ask(fill(first, theirs))];
    if (observed.status !== 200)
      return { findings: untried(`creating a policy answered ${observed.status}`), left: [] };
    for (const check of writingChecks) {
      const why = check.steps.flatMap(({ request }) => deployment.unreachable.get(partOf(request.path)) ?? [])[0];
      if (why !== undefined) findings.push({ name: check.name, says: check.says, why });
      else findings.push(await compareWrites(check, run, { ask: askMock(mock), texts: ours }, { ask, texts: theirs }));
    }
    if (streams !== undefined) {
      await pace.turn(signal);
      const expected = await changesOf(mockPool(mock), ours, indexOf(own), signal);
      const heard = await changesOf(streams, theirs, indexOf(observed), signal);
      const parts = compareAnswers({ status: 0, body: expected }, { status: 0, body: heard });
      const question = 'PoolPolicyChanges';
      findings.push({
        name: 'write/changes',
        says: 'poolDeletion',
        parts: parts.map((part) => ({ ...part, question })),
      });
    }
  } catch (error) {
    if (!signal?.aborted) {
      await removeOwn(deployment.askAnyway, theirs, name);
      throw error;
    }
    const done = new Set(findings.map((finding) => finding.name));
    findings.push(...untried('the run was stopped').filter((finding) => !done.has(finding.name)));
  }
  return { findings, left: await removeOwn(deployment.askAnyway, theirs, name) };
}
