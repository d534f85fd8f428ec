import { looksSecret } from '../../../base/secrets/redact.js';
import type { Verdict } from '../../../mock/adapters/node/playback/check-document.js';
import type { RecordedExchange, Recording } from '../../../mock/recordings/recording-format.js';
import type { Captured } from './captured.js';
import { ExchangeConcealer } from './conceal-exchange.js';
import type { DocumentCheck } from './document.js';
import { readFields } from './fields.js';
import { KnownValues } from './known-values.js';
import { deepest, isNestedTooDeeply } from './nesting.js';
import { learn, type Pair, pairUp } from './pair.js';
import type { Listener } from './recording-proxy.js';
import { mostFiles, type Renewed, type Written, writeRecordings } from './write-recordings.js';

/** The settings of a run. */
interface RunOptions {
  readonly folder: string;
  /** The recordings that the folder has already. */
  readonly recordings: readonly Recording[];
  readonly check: DocumentCheck;
  readonly strict: boolean;
  readonly prune: boolean;
  readonly secret: readonly string[];
  readonly volatile: readonly string[];
}

/** The result of a run. */
interface Outcome {
  readonly lines: readonly string[];
  /** False if exchanges did not fit the document, and were left out. */
  readonly isStrictlyFine: boolean;
}

/** All bodies of a run are in memory until it is known which of their values are secrets. */
const mostBytes = 268_435_456;
const mostNamed = 20;

const count = (files: readonly unknown[] | number, what: string): string => {
  const number = typeof files === 'number' ? files : files.length;
  return `${number} ${what}`;
};

const isHidden = (text: string | undefined): boolean => text !== undefined && /^<bytes:\d+>$/.test(text);

/** The summary of what was written, and the files that were changed or not seen. */
function describe({ added, changed, same, unseen, removed }: Written): string[] {
  const list = (files: readonly string[], what: string): string[] => {
    const more = files.length > mostNamed ? [`  and ${files.length - mostNamed} more`] : [];
    return [...files.slice(0, mostNamed).map((file) => `  ${what} ${file}`), ...more];
  };
  const kept = [
    count(added, 'new'),
    count(changed, 'changed'),
    count(same, 'unchanged'),
    ...(unseen.length > 0 ? [count(unseen, 'not seen in this run and kept')] : []),
    ...(removed.length > 0 ? [count(removed, 'not seen in this run and removed')] : []),
  ];
  return [
    `arango-services record: ${kept.join(', ')}`,
    ...list(changed, 'changed'),
    ...list(unseen, 'not seen'),
    ...list(removed, 'removed'),
  ];
}

/** The exchanges of a run, until they are written. */
export class Run {
  readonly #options: RunOptions;
  readonly #warn: (line: string) => void;
  readonly #captured = new Map<number, Captured>();
  #bytes = 0;

  constructor(options: RunOptions, warn: (line: string) => void) {
    this.#options = options;
    this.#warn = warn;
  }

  get listener(): Listener {
    return {
      kept: (captured, order) => this.#keep(captured, order),
      // The path may hold a secret that is not known yet.
      left: (method, reason) => this.#warn(`a ${method} is not kept: ${reason}`),
    };
  }

  /** The reason why an exchange is not kept, if there is one. */
  #fault({ method, path, query, request, response }: Captured): string | undefined {
    // Playback reads no such file.
    if (!/^[A-Z]+$/.test(method)) return 'its method is not of upper-case letters only';
    if (`${path}${query}`.includes('#')) return 'its path has a fragment';
    if (response.status > 599) return `its status is ${response.status}`;
    if ([request, response].some(({ body }) => isNestedTooDeeply(body)))
      return `a body has JSON of more than ${deepest} levels`;
    if (this.#captured.size + this.#options.recordings.length >= mostFiles)
      return `a folder has at most ${mostFiles} recordings`;
    this.#bytes += request.body.length + response.body.length;
    return this.#bytes > mostBytes ? `the bodies of a run have at most ${mostBytes} bytes` : undefined;
  }

  #keep(captured: Captured, order: number): void {
    const fault = this.#fault(captured);
    if (fault === undefined) this.#captured.set(order, captured);
    else this.#warn(`a ${captured.method} is not kept: ${fault}`);
  }

  /** Checks the exchanges by the document; with `--strict`, those that do not fit are left out. */
  async #check(): Promise<{ readonly captured: Captured; readonly verdict: Verdict }[]> {
    const inOrder = [...this.#captured].sort(([a], [b]) => a - b).map(([, captured]) => captured);
    const checked: { captured: Captured; verdict: Verdict }[] = [];
    for (const captured of inOrder) checked.push({ captured, verdict: await this.#options.check(captured) });
    return checked;
  }

  /** Tells what does not fit the document, unless it quotes a secret. The path is the one of the file. */
  #warnOf({ template, problems }: Verdict, { method, path }: RecordedExchange, known: KnownValues): void {
    for (const problem of problems) {
      const isSafe = !known.quotesSecret(problem) && !looksSecret(problem);
      this.#warn(`${method} ${template ?? path}: ${isSafe ? problem : 'does not fit the document'}`);
    }
  }

  /** Writes what is complete. */
  async write(): Promise<Outcome> {
    const { folder, recordings, strict, prune, secret, volatile } = this.#options;
    const checked = await this.#check();
    const fitting = strict ? checked.filter(({ verdict }) => verdict.problems.length === 0) : checked;
    const known = new KnownValues();
    const concealer = new ExchangeConcealer(known, readFields(secret), readFields(volatile));
    const verdicts = new Map(checked.map(({ captured, verdict }) => [captured, verdict]));
    const none: Verdict = { template: undefined, values: new Map(), problems: [] };
    const conceal = (captured: Captured) => concealer.record(captured, verdicts.get(captured) ?? none);
    // Also of those that are left out: their secrets are secrets.
    for (const { captured } of checked) conceal(captured);
    const pairs: Pair[] = pairUp(
      fitting.map(({ captured, verdict }) => ({ captured, template: verdict.template })),
      recordings,
    );
    learn(pairs, recordings, known);
    known.number();
    const renewed = pairs.map(({ captured, before }): Renewed => ({ now: conceal(captured), before }));
    // After the files, whose references count from 1.
    for (const { captured, verdict } of checked) {
      if (verdict.problems.length > 0) this.#warnOf(verdict, conceal(captured), known);
    }
    if (renewed.some(({ now }) => isHidden(now.request.text) || isHidden(now.response.text)))
      this.#warn('a body of bytes holds a secret, and has a reference in its place: <bytes:1>');
    const left = checked.length - fitting.length;
    const lines = describe(await writeRecordings(folder, renewed, recordings, prune));
    if (left > 0) lines.push(`  ${left} left out: they do not fit the document`);
    return { lines, isStrictlyFine: left === 0 };
  }
}
