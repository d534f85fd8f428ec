import { exclusively } from './lock.js';
import { formatRecord, isPlausible, parseRecord, type SessionRecord } from './record.js';
import { Shelf } from './shelf.js';

/** After waiting this long for the lock, a change is made without it; versions still keep the order. */
const patienceMs = 5_000;

/**
 * Reads and writes a session's entry in its store, and a mark in `localStorage`: a version, below which all sessions of
 * this name have ended. The mark tells tabs that missed the news.
 */
export class Entry {
  readonly markKey: string;
  readonly #shelf: Shelf;
  readonly #key: string;
  readonly #marks: Shelf | undefined;

  constructor(shelf: Shelf, key: string) {
    this.#shelf = shelf;
    this.#key = key;
    this.markKey = `ended ${key}`;
    // Outside of a page, sessions of other users may exist in the same process, so there is no mark.
    this.#marks = 'document' in globalThis ? new Shelf('localStorage') : undefined;
  }

  /** Reads the record: null if there is none, undefined if the store fails. */
  async read(): Promise<SessionRecord | null | undefined> {
    const text = await this.#shelf.read(this.#key);
    return text === null || text === undefined ? text : parseRecord(text);
  }

  /** Writes the record. Returns false if the store fails. */
  write(record: SessionRecord): Promise<boolean> {
    return this.#shelf.write(this.#key, formatRecord(record));
  }

  remove(): Promise<unknown> {
    return this.#shelf.remove(this.#key);
  }

  /** Reads the mark: 0 if there is none, NaN if it is damaged, undefined if the store fails. */
  async readMark(): Promise<number | undefined> {
    const text = this.#marks ? await this.#marks.read(this.markKey) : null;
    if (text === undefined) return undefined;
    const version = /^\d+$/.test(text ?? '0') ? Number(text) : Number.NaN;
    return isPlausible(version, Date.now()) ? version : Number.NaN;
  }

  async writeMark(version: number): Promise<void> {
    await this.#marks?.write(this.markKey, `${version}`);
  }

  /** Runs `act` under a lock that all tabs with this store share. */
  async alone(act: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const isDone = this.#shelf.isShared && (await exclusively(this.#key, this.#shelf, act, { signal, ms: patienceMs }));
    if (!isDone) await act();
  }

  /**
   * Runs a renewal under a lock that all tabs with this store share. It may take as long as its request. Rejects if the
   * wait for the lock takes too long.
   */
  async renewAlone(renewal: () => Promise<void>, limits: { signal: AbortSignal; ms: number }): Promise<void> {
    if (!this.#shelf.isShared) await renewal();
    else if (!(await exclusively(`renewal ${this.#key}`, this.#shelf, renewal, limits))) throw new Error('no lock');
  }
}
