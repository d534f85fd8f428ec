import { looksSecret } from '../../../base/secrets/redact.js';
import type { RecordedExchange, Recording } from '../../../mock/recordings/recording-format.js';
import type { Captured } from './captured.js';
import { type ConcealOptions, ExchangeConcealer } from './conceal-exchange.js';
import type { DocumentCheck } from './document.js';
import { Unkept } from './exact-json.js';
import { KnownValues } from './known-values.js';
import { type Checked, learn, pairUp } from './pair.js';
import type { Left, Listener } from './recording-proxy.js';
import { mostFiles, type Renewed, type WrittenFiles, writeRecordings } from './write-recordings.js';

interface RunOptions extends ConcealOptions {
  readonly folder: string;
  /** The recordings that the folder has already. */
  readonly recordings: readonly Recording[];
  readonly check: DocumentCheck;
  readonly strict: boolean;
  readonly prune: boolean;
  /** The most bytes of a body. */
  readonly mostBytes: number;
}

/** The result of a run. */
interface Outcome {
  readonly warnings: readonly string[];
  readonly lines: readonly string[];
  /** False if exchanges did not fit the document, and were left out. */
  readonly isStrictlyFine: boolean;
}

/** All bodies of a run are in memory until it is known which of their values are secrets. */
const mostBytes = 268_435_456;
/** The CPU time to prepare the files after the command was stopped. */
const longestEndMs = 4_000;
/** The CPU time of this process in milliseconds: other processes of a busy machine take none of it. */
const cpuTime = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};
/** Longer bodies are written last, so that they take no time from others. */
const longBody = 1_048_576;
const mostNamed = 20;
const mostLeft = 200;

/** The summary of what was written, and the files that were changed or not seen. */
function describe({ added, changed, same, unseen, removed }: WrittenFiles): string[] {
  const list = (files: readonly string[], what: string): string[] => {
    const more = files.length > mostNamed ? [`  and ${files.length - mostNamed} more`] : [];
    return [...files.slice(0, mostNamed).map((file) => `  ${what} ${file}`), ...more];
  };
  const counts = [`${added.length} new`, `${changed.length} changed`, `${same} unchanged`];
  if (unseen.length > 0) counts.push(`${unseen.length} not seen in this run and kept`);
  if (removed.length > 0) counts.push(`${removed.length} not seen in this run and removed`);
  return [
    `arango-services record: ${counts.join(', ')}`,
    ...list(changed, 'changed'),
    ...list(unseen, 'not seen'),
    ...list(removed, 'removed'),
  ];
}

/** The exchanges of a run, until they are written. */
export class RecordingRun {
  readonly #options: RunOptions;
  readonly #now: () => number;
  readonly #known = new KnownValues();
  readonly #concealer: ExchangeConcealer;
  readonly #checked = new Map<number, Promise<Checked | undefined>>();
  readonly #left: Left[] = [];
  #bytes = 0;

  constructor(options: RunOptions, now = cpuTime) {
    this.#options = options;
    this.#now = now;
    this.#concealer = new ExchangeConcealer(this.#known, options, now);
  }

  get listener(): Listener {
    return { kept: (captured, order) => this.#keep(captured, order), left: (left) => void this.#left.push(left) };
  }

  /** The reason why an exchange is not kept, if there is one. */
  #fault({ method, path, query, request, response }: Captured): string | undefined {
    // Playback reads no such file.
    if (!/^[A-Z]+$/.test(method)) return 'its method is not of upper-case letters only';
    if (`${path}${query}`.includes('#')) return 'its path has a fragment';
    if (response.status > 599) return `its status is ${response.status}`;
    if (this.#checked.size + this.#options.recordings.length >= mostFiles)
      return `a folder has at most ${mostFiles} recordings`;
    const size = request.body.length + response.body.length;
    if (this.#bytes + size > mostBytes) return `the bodies of a run have at most ${mostBytes} bytes`;
    this.#bytes += size;
    return undefined;
  }

  #keep(captured: Captured, order: number): void {
    const fault = this.#fault(captured);
    if (fault !== undefined)
      return void this.#left.push({ method: captured.method, path: captured.path, reason: fault });
    // At once, so that little is left to do at the end; a secret in an exchange that is left out is concealed, too.
    const read = async (): Promise<Checked> => {
      const verdict = await this.#options.check(captured);
      this.#concealer.record(captured, verdict);
      return { captured, verdict };
    };
    this.#checked.set(order, this.#attempt(captured, read));
  }

  /** Runs a step for an exchange; one that fails is left, and the others go on. */
  async #attempt<T>({ method, path }: Captured, step: () => T): Promise<Awaited<T> | undefined> {
    try {
      return await step();
    } catch (error) {
      // The message of another error may quote the exchange.
      this.#left.push({ method, path, reason: error instanceof Unkept ? error.message : 'it could not be read' });
      return undefined;
    }
  }

  /** The problems of an exchange by its document, without those texts that quote a secret. */
  #problems({ captured, verdict: { template, problems } }: Checked): string[] {
    return problems.map((problem) => {
      const isSafe = !this.#known.holdsSecret(problem) && !looksSecret(problem);
      const reason = isSafe ? problem : 'does not fit the document';
      return `${captured.method} ${template ?? this.#path(captured)}: ${reason}`;
    });
  }

  #path({ path }: Pick<Captured, 'path'>): string {
    try {
      return this.#concealer.path(path);
    } catch {
      return '…';
    }
  }

  /** The exchanges that were not kept, and the headers. */
  #notKept(): string[] {
    const lines = this.#left.slice(0, mostLeft);
    const more = this.#left.length - lines.length;
    const headers = [...this.#concealer.droppedHeaders].sort();
    return [
      ...lines.map((exchange) => `${exchange.method} ${this.#path(exchange)} is not kept: ${exchange.reason}`),
      ...(more > 0 ? [`${more} more are not kept`] : []),
      ...(headers.length > 0 ? [`headers that are not kept (--keep-header): ${headers.slice(0, 50).join(', ')}`] : []),
    ];
  }

  /** Writes what is complete, within the CPU time that the end of a run has. */
  async write(): Promise<Outcome> {
    const { folder, recordings, strict, prune, mostBytes: most } = this.#options;
    const end = this.#now() + longestEndMs;
    const inOrder = [...this.#checked].sort(([a], [b]) => a - b);
    const checked = (await Promise.all(inOrder.map(([, check]) => check))).filter((check) => check !== undefined);
    const fitting = strict ? checked.filter(({ verdict }) => verdict.problems.length === 0) : checked;
    const pairs = pairUp(fitting, recordings, () => this.#now() > end - longestEndMs / 2);
    learn(pairs, recordings, this.#known);
    this.#known.number(most);
    const isLong = ({ captured: { request, response } }: Checked): boolean =>
      Math.max(request.body.length, response.body.length) > longBody;
    const exchanges = new Map<Captured, RecordedExchange | undefined>();
    for (const { captured, verdict, isOver } of pairs.toSorted((a, b) => Number(isLong(a)) - Number(isLong(b)))) {
      const leftMs = isOver ? -1 : end - this.#now();
      exchanges.set(captured, await this.#attempt(captured, () => this.#concealer.record(captured, verdict, leftMs)));
    }
    const renewed = pairs.map(({ captured, before }): Renewed => ({ now: exchanges.get(captured), before }));
    const warnings = checked.flatMap((exchange) => this.#problems(exchange));
    const left = checked.length - fitting.length;
    const isWhole = this.#left.length === 0;
    const written = await writeRecordings(folder, renewed, recordings, prune && isWhole);
    const lines = describe(written);
    if (left > 0) lines.push(`  ${left} left out: they do not fit the document`);
    if (prune && !isWhole) lines.push('  nothing was removed, because exchanges were not kept');
    return { warnings: [...warnings, ...this.#notKept()], lines, isStrictlyFine: left === 0 };
  }
}
