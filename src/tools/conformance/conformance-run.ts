import { readIdentity } from '../../base/jwt/token-text.js';
import { isObject } from '../../base/lib/values.js';
import { sleep } from '../../base/lib/wait.js';
import { hideSecrets } from '../../base/secrets/known-secrets.js';
import { type Asked, askAll, type Fit, Fitting } from './ask-questions.js';
import { authenticationChecks } from './checks/authentication-checks.js';
import { authorizationChecks } from './checks/authorization-checks.js';
import { borderChecks, roleChecks } from './checks/borders.js';
import type { Check } from './checks/check.js';
import { routingChecks } from './checks/routing.js';
import { type KnownState, stateChecks } from './checks/state-checks.js';
import type { ConformanceOptions } from './conformance-options.js';
import type { ConformanceFit, ConformanceReport } from './conformance-report.js';
import { type DeploymentSettings, likelySettings } from './deployment-settings.js';
import type { CheckFinding } from './finding.js';
import { judgeFindings } from './judge.js';
import { emptyState, readKnownState, Unreadable } from './known-state.js';
import { removeLeft } from './leftovers.js';
import { type ConformanceClock, Pace } from './pace.js';
import { hasSuperuserToken, mintUser, obstacle, type Preparation, prepare } from './preparation.js';
import { type CheckedClient, type CheckedDeployment, openDeployment } from './side.js';
import { readPoolState, streamFindings } from './stream-findings.js';
import { dependsOnUnread, unreadFindings } from './unread.js';
import { writeFindings } from './writes.js';

const systemClock: ConformanceClock = { now: () => Date.now(), sleep: (ms, signal) => sleep(ms, { signal }) };

const defaultRate = 20;

/** The prefix of all names that a run writes, by which the next run finds what a stopped run left behind. */
const namePrefix = 'arango-services-conformance-';

/** The lifetimes that the answers of createToken suggest. */
function ttlOf(askedChecks: readonly Asked[]): DeploymentSettings['ttl'] | undefined {
  const lifetime = (name: string): string | undefined => {
    const body = askedChecks.find(({ check }) => check.name === name)?.answers[0]?.body;
    const value = isObject(body) ? body.lifetime : undefined;
    return typeof value === 'string' && /^\d+(\.\d+)?s$/.test(value) ? value : undefined;
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
  readonly #findings: CheckFinding[] = [];
  readonly #stranger = `${namePrefix}${crypto.randomUUID().slice(0, 8)}`;
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
    const preparation = await prepare(this.#client, secret, this.#stranger, this.#clock);
    await mintUser(preparation, deployment, this.#stranger);
    // Before the state is read, so that the mock does not get what is removed here.
    if (write) this.#findOthers(await removeLeft(deployment, preparation, this.#clock));
    const state = await this.#readState(deployment, preparation);
    const askedChecks = await this.#ask(this.#checks(state), deployment, preparation, state);
    const fitting = new Fitting(askedChecks, preparation.texts.mock, preparation.key.text, state);
    const ttl = ttlOf(askedChecks);
    const used = await fitting.best(likelySettings, settings, ttl);
    const best = Object.keys(settings).length === 0 ? used : await fitting.best(used.settings, {}, ttl);
    await this.#compare(fitting, used.settings, askedChecks);
    const run = { deployment, preparation, state, settings: used.settings, fitting, clock: this.#clock, signal };
    if (streams !== undefined && !signal?.aborted) {
      this.#findings.push(...(await streamFindings(run, streams, this.#pace)));
    }
    if (write && !signal?.aborted) {
      const { findings, left } = await writeFindings(run, this.#stranger, this.#pace, streams);
      this.#findings.push(...findings);
      this.#left = left;
    }
    return this.#report(began, { settings: used.settings, best, tried: fitting.tried }, preparation);
  }

  async #readState(deployment: CheckedDeployment, { texts, withoutGood }: Preparation): Promise<KnownState> {
    const { users = [], streams, signal } = this.#options;
    const token = texts.deployment.get('good');
    if (token === undefined) return this.#unread(withoutGood ?? 'there is no token');
    const unreachable = deployment.unreachable.get('management');
    if (unreachable !== undefined) return this.#unread(unreachable);
    const owner = readIdentity(token)?.user;
    const knownUsers = [...new Set([...users, ...(owner ? [owner] : [])])];
    let pool: KnownState | undefined;
    try {
      pool = streams && (await readPoolState(streams, token, this.#pace, signal));
      const state = await readKnownState(deployment.ask, texts.deployment, knownUsers, pool);
      return { ...state, groupBindings: pool?.groupBindings };
    } catch (error) {
      if (error instanceof Unreadable) return pool ?? this.#unread(error.message);
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
    deployment: CheckedDeployment,
    preparation: Preparation,
    state: KnownState,
  ): Promise<Asked[]> {
    const { signal } = this.#options;
    const isKnown = state !== emptyState || hasSuperuserToken(preparation);
    const askedChecks: Asked[] = [];
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
        askedChecks.push({ check, answers, times });
      } catch (error) {
        if (!signal?.aborted) throw error;
        this.#findings.push({ name: check.name, says: check.says, why: 'the run was stopped' });
      }
    }
    return askedChecks;
  }

  async #compare(fitting: Fitting, settings: DeploymentSettings, askedChecks: readonly Asked[]): Promise<void> {
    const differing = await fitting.differences(settings);
    for (const { check } of askedChecks) {
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
    { settings, best, tried }: { settings: DeploymentSettings; best: Fit; tried: readonly Fit[] },
    preparation: Preparation,
  ): ConformanceReport {
    const { known = [], secret, signal } = this.#options;
    const judgement = judgeFindings(this.#findings, known, hideSecrets(secretsOf(preparation, secret)));
    const { checks, differences } = judgement;
    const isOpen = differences.some((difference) => difference.known === undefined);
    const stopped = signal?.aborted === true;
    return {
      alike: !stopped && !isOpen && checks.some(({ result }) => result === 'alike'),
      stopped,
      at: new Date(began).toISOString(),
      questions: this.#pace.asked,
      ...judgement,
      settings,
      fits: {
        best: { settings: best.settings, different: best.different ?? checks.length },
        others: tried.flatMap((fit): ConformanceFit[] =>
          fit.different === undefined || fit.settings === best.settings
            ? []
            : [{ settings: fit.settings, different: fit.different }],
        ),
      },
      left: this.#left,
    };
  }
}

/** The texts that no report may hold: the tokens of the questions, and the secrets that sign them. */
function secretsOf({ texts, key }: Preparation, secret: string | undefined): string[] {
  const isSecret = (name: string) => name !== 'stranger' && name !== 'malformed';
  const tokens = [...texts.deployment, ...texts.mock].flatMap(([name, text]) => (isSecret(name) ? text : []));
  return [...tokens, key.text, ...(secret === undefined ? [] : [secret])];
}

/** The most users about whom decisions are compared. */
const mostUsers = 20;
