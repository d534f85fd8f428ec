import { formatRecord, isPlausible, parseRecord, type SessionRecord } from './session-record.js';
import { Shelf } from './shelf.js';

/**
 * Reads and writes a session's entry in its store, and a mark in `localStorage`: a version, below which all sessions of
 * this name have ended. The mark tells tabs that missed the news.
 */
export class Entry {
  readonly markKey: string;
  readonly #shelf: Shelf;
  readonly key: string;
  readonly #marks: Shelf | undefined;

  constructor(shelf: Shelf, key: string) {
    this.#shelf = shelf;
    this.key = key;
    this.markKey = `ended ${key}`;
    // Outside of a page, sessions of other users may exist in the same process, so there is no mark.
    this.#marks = 'document' in globalThis ? new Shelf('localStorage') : undefined;
  }

  /** Reads the record: null if there is none, undefined if the store fails. */
  async read(): Promise<SessionRecord | null | undefined> {
    const text = await this.#shelf.read(this.key);
    return text === null || text === undefined ? text : parseRecord(text);
  }

  /** Writes the record. Returns false if the store fails. */
  write(record: SessionRecord): Promise<boolean> {
    return this.#shelf.write(this.key, formatRecord(record));
  }

  remove(): Promise<unknown> {
    return this.#shelf.remove(this.key);
  }

  /** Reads the mark: 0 if there is none, NaN if it is damaged, undefined if it cannot be read. */
  async readMark(): Promise<number | undefined> {
    const text = await this.#marks?.read(this.markKey);
    if (text === undefined) return undefined;
    const version = /^\d+$/.test(text ?? '0') ? Number(text) : Number.NaN;
    return isPlausible(version, Date.now()) ? version : Number.NaN;
  }

  async writeMark(version: number): Promise<void> {
    await this.#marks?.write(this.markKey, `${version}`);
  }
}
