import { exclusively } from './lock.js';
import { formatRecord, type SessionRecord } from './record.js';
import { Shelf } from './shelf.js';

/** An act that waits longer for the lock goes on without it: the versions keep its order. */
const patienceMs = 5_000;

/**
 * The entry of a session in its store, and the mark of a page's `localStorage`: the version below which all sessions of
 * this name have ended, for tabs that did not hear of it.
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
    // Without a page, sessions of other users may live in the same process.
    this.#marks = 'document' in globalThis ? new Shelf('localStorage') : undefined;
  }

  /** True if other tabs may see what is written. */
  get isShared(): boolean {
    return this.#shelf.isShared;
  }

  /** Reads the text: null if there is none, undefined if the store fails. */
  read(): Promise<string | null | undefined> {
    return this.#shelf.read(this.#key);
  }

  /** Writes the text. Returns false if the store fails. */
  write(record: SessionRecord): Promise<boolean> {
    return this.#shelf.write(this.#key, formatRecord(record));
  }

  remove(): Promise<unknown> {
    return this.#shelf.remove(this.#key);
  }

  /** Reads the mark; 0 if there is none. */
  async readMark(): Promise<number> {
    const version = Number((await this.#marks?.read(this.markKey)) ?? 0);
    return Number.isFinite(version) ? version : 0;
  }

  async writeMark(version: number): Promise<void> {
    await this.#marks?.write(this.markKey, `${version}`);
  }

  /** Runs an act in one tab at a time of those that share the store. */
  async alone(act: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const isDone = this.isShared && (await exclusively(this.#key, this.#shelf, act, { signal, ms: patienceMs }));
    if (!isDone) await act();
  }

  /** Runs a renewal in one tab at a time, which may take as long as its request. Rejects if the wait is too long. */
  async renewAlone(renewal: () => Promise<void>, limits: { signal: AbortSignal; ms: number }): Promise<void> {
    if (!this.isShared) await renewal();
    else if (!(await exclusively(`renewal ${this.#key}`, this.#shelf, renewal, limits))) throw new Error('no lock');
  }
}
