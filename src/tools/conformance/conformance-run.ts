import { isObject } from '../../base/lib/values.js';
import { sleep } from '../../base/lib/wait.js';
import { hideSecrets } from '../../base/secrets/known-secrets.js';
import { authenticationChecks } from './checks/authentication.js';
import { authorizationChecks } from './checks/authorization.js';
import { borderChecks, roleChecks } from './checks/borders.js';
import type { Check } from './checks/check.js';
import { routingChecks } from './checks/routing.js';
import { type KnownState, stateChecks } from './checks/state.js';
import { emptyState, readKnownState, Unreadable } from './known-state.js';
import { removeLeft } from './leftovers.js';
import type { ConformanceOptions, KnownDifference } from './options.js';
import { type ConformanceClock, Pace } from './pace.js';
import { isSuperuser, mintUser, obstacle, type Preparation, prepare } from './preparation.js';
import { type Asked, askAll, type Fit, Fitting } from './questions.js';
import type {
  ConformanceDifference,
  ConformanceFit,
  ConformanceReport,
  ConformanceResult,
  NotTried,
} from './report.js';
import type { Finding } from './run.js';
import { sentences } from './sentences.js';
import { type DeploymentSettings, likelySettings } from './settings.js';
import { type CheckedClient, type Deployment, openDeployment } from './side.js';
import { readPoolState, streamFindings } from './streams.js';
import { readToken } from './tokens.js';
import { dependsOnUnread, unreadFindings } from './unread.js';
import { writeFindings } from './writes.js';

const systemClock: ConformanceClock = {
  now: () => Date.now(),
  sleep: (ms, signal) => sleep(ms, { signal }),
};

const defaultRate = 20;

/** Names that a run writes below, so that the next run finds what one left that was stopped. */
const namePrefix = 'arango-services-conformance-';

/** The lifetimes that the answers of createToken suggest. */
function ttlOf(asked: readonly Asked[]): DeploymentSettings['ttl'] | undefined {
  const lifetime = (name: string): string | undefined => {
    const body = asked.find(({ check }) => check.name === name)?.answers[0]?.body;
    const found = isObject(body) ? body.lifetime : undefined;
    return typeof found === 'string' && /^\d+(\.\d+)?s$/.test(found) ? found : undefined;
  };
  const [min, max, usual] = [lifetime('create/minimum'), lifetime('create/maximum'), lifetime('create/default')];
  return min && max && usual ? { min, max, default: usual } : undefined;
}

/** One run of `checkConformance`. */
export class ConformanceRun {
  readonly #client: CheckedClient;
  readonly #options: ConformanceOptions;
  readonly #clock: ConformanceClock;
  readonly #pace: Pace;
  readonly #findings: Finding[] = [];
  readonly #nobody = `${namePrefix}${crypto.randomUUID().slice(0, 8)}`;
  #left: readonly string[] = [];

  constructor(client: CheckedClient, options: ConformanceOptions) {
    this.#client = client;
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#pace = new Pace(options.rate ?? defaultRate, this.#clock);
  }

  async run(): Promise<ConformanceReport> {
    const { signal, secret, settings = {}, write, streams } = this.#options;
    const began = this.#clock.now();
    const deployment = await openDeployment(this.#client, this.#pace, this.#clock, signal);
    const preparation = await prepare(this.#client, secret, this.#nobody, this.#clock);
    await mintUser(preparation, deployment, this.#nobody);
    // Before the state is read, so that the mock does not get what is removed here.
    if (write) this.#findOthers(await removeLeft(deployment, preparation, this.#clock));
    const state = await this.#readState(deployment, preparation);
    const asked = await this.#ask(this.#checks(state), deployment, preparation, state);
    const fitting = new Fitting(asked, preparation.texts.mock, preparation.key.text, state);
    const ttl = ttlOf(asked);
    const used = await fitting.best(likelySettings, settings, ttl);
    const best = Object.keys(settings).length === 0 ? used : await fitting.best(used.settings, {}, ttl);
    await this.#compare(fitting, used.settings, asked);
    const run = { deployment, preparation, state, settings: used.settings, fitting, clock: this.#clock, signal };
    if (streams !== undefined && !signal?.aborted) {
      this.#findings.push(...(await streamFindings(run, streams, this.#pace)));
    }
    if (write && !signal?.aborted) {
      const { findings, left } = await writeFindings(run, this.#nobody, this.#pace, streams);
      this.#findings.push(...findings);
      this.#left = left;
    }
    return this.#report(began, used.settings, best, fitting.tried, preparation);
  }

  async #readState(deployment: Deployment, { texts, withoutGood }: Preparation): Promise<KnownState> {
    const { users = [], streams, signal } = this.#options;
    const good = texts.deployment.get('good');
    const why = good === undefined ? withoutGood : deployment.unreachable.get('management');
    if (why !== undefined || good === undefined) return this.#unread(why ?? 'there is no token');
    const { preferred_username: owner } = JSON.parse(readToken(good)?.claims ?? '{}') as Record<string, unknown>;
    const known = [...new Set([...users, ...(typeof owner === 'string' && owner !== '' ? [owner] : [])])];
    try {
      const pool = streams && (await readPoolState(streams, good, this.#pace, signal));
      try {
        return await readKnownState(deployment.ask, texts.deployment, known, pool);
      } catch (error) {
        if (error instanceof Unreadable) return pool ?? this.#unread(error.message);
        throw error;
      }
    } catch (error) {
      if (signal?.aborted) return emptyState;
      throw error;
    }
  }

  #findOthers(runs: readonly string[]): void {
    for (const run of runs) {
      const why = `another run is under way below ${run}: differences may be its writes`;
      this.#findings.push({ name: `state/${run}`, says: 'list', why });
    }
  }

  #unread(why: string): KnownState {
    this.#findings.push({ name: 'state', says: 'list', why: `the permissions cannot be read: ${why}` });
    return emptyState;
  }

  #checks(state: KnownState): readonly Check[] {
    const users = [...new Set(state.bindings.map(({ user }) => user))].slice(0, mostUsers);
    if (state !== emptyState) this.#findings.push(...unreadFindings(state, users));
    const decided = users.filter((user) => !dependsOnUnread(state, user));
    const ofState =
      state === emptyState ? [] : [...stateChecks(state), ...borderChecks(state, decided), ...roleChecks(state)];
    return [...routingChecks, ...authenticationChecks, ...authorizationChecks, ...ofState];
  }

  async #ask(
    checks: readonly Check[],
    deployment: Deployment,
    preparation: Preparation,
    state: KnownState,
  ): Promise<Asked[]> {
    const { signal } = this.#options;
    const isKnown = state !== emptyState || isSuperuser(preparation);
    const asked: Asked[] = [];
    for (const check of checks) {
      const why = signal?.aborted ? 'the run was stopped' : obstacle(check, preparation, deployment, isKnown);
      if (why !== undefined) {
        this.#findings.push({ name: check.name, says: check.says, why });
        continue;
      }
      try {
        const times: number[] = [];
        const before = (index: number) => times.splice(index, 1, this.#clock.now());
        const answers = await askAll(check, deployment.ask, preparation.texts.deployment, before);
        asked.push({ check, answers, times });
      } catch (error) {
        if (!signal?.aborted) throw error;
        this.#findings.push({ name: check.name, says: check.says, why: 'the run was stopped' });
      }
    }
    return asked;
  }

  async #compare(fitting: Fitting, settings: DeploymentSettings, asked: readonly Asked[]): Promise<void> {
    const differing = await fitting.differences(settings);
    for (const { check } of asked) {
      const { name, says } = check;
      if (differing === undefined) {
        this.#findings.push({ name, says, why: `no mock in ${settings.fidelity} fidelity takes these permissions` });
        continue;
      }
      const parts = (differing.get(check) ?? []).map(({ step, ...part }) => ({
        ...part,
        question: `${step.request.method} ${step.request.path}`,
      }));
      this.#findings.push({ name, says, parts });
    }
  }

  #report(
    began: number,
    settings: DeploymentSettings,
    best: Fit,
    tried: readonly Fit[],
    { texts, key }: Preparation,
  ): ConformanceReport {
    const { known = [], secret, signal } = this.#options;
    const names = new Set(['nobody', 'malformed']);
    const tokens = [...texts.deployment, ...texts.mock].flatMap(([name, text]) => (names.has(name) ? [] : text));
    const hide = hideSecrets([...tokens, key.text, ...(secret === undefined ? [] : [secret])]);
    const differences: ConformanceDifference[] = [];
    const matched = new Set<KnownDifference>();
    const notTried: NotTried[] = [];
    const checks: ConformanceResult[] = [];
    for (const { name: check, says, parts = [], why } of this.#findings) {
      const sentence = sentences[says];
      const found = parts.map(({ at, expected, observed, question }): ConformanceDifference => {
        const matching = known.filter((one) => isKnown(one, check, at));
        for (const one of matching) matched.add(one);
        const [match] = matching;
        const last = at.split(/[/ ]/).at(-1) ?? '';
        const values = { expected: hide(expected, last), observed: hide(observed, last) };
        // A path and the names of fields may hold a token as well.
        const where = { question: String(hide(question, '')), at: String(hide(at, '')) };
        return { check, sentence, ...where, ...values, ...(match && { known: match.reason ?? 'known' }) };
      });
      differences.push(...found);
      if (why !== undefined) notTried.push({ check, sentence, why: String(hide(why, '')) });
      const isOpen = found.some((one) => one.known === undefined);
      const result = why !== undefined ? 'not tried' : isOpen ? 'different' : found.length > 0 ? 'known' : 'alike';
      checks.push({ check, sentence, result });
    }
    const fits = tried.flatMap((one): ConformanceFit[] =>
      one.different === undefined ? [] : [{ settings: one.settings, different: one.different }],
    );
    const stopped = signal?.aborted === true;
    const open = differences.filter((one) => one.known === undefined);
    return {
      alike: !stopped && checks.some(({ result }) => result === 'alike') && open.length === 0,
      stopped,
      at: new Date(began).toISOString(),
      questions: this.#pace.asked,
      differences,
      unmatched: known.filter((one) => !matched.has(one) && !notTried.some(({ check }) => isKnown(one, check, one.at))),
      notTried,
      checks,
      settings,
      fits: {
        best: { settings: best.settings, different: best.different ?? checks.length },
        others: fits.filter(({ settings }) => settings !== best.settings),
      },
      left: this.#left,
    };
  }
}

/** The most users about whom decisions are compared. */
const mostUsers = 20;

function isKnown({ check, at }: KnownDifference, name: string, part: string | undefined): boolean {
  const fits = check.endsWith('*') ? name.startsWith(check.slice(0, -1)) : name === check;
  return fits && (at === undefined || at === part);
}
