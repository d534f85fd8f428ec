import { stableJson } from '../../base/lib/stable-json.js';
import { type Evaluator, normalizePolicy, type Policy } from '../../policy/index.js';
import { findingsOf } from '../answers/console-findings.js';
import {
  applyEdit,
  callOf,
  checkContent,
  checkExistence,
  contentAfter,
  contentOf,
  oppositeOf,
} from '../answers/edit-effects.js';
import { compareStates } from '../answers/policy-views.js';
import type { ConsoleFinding, Edit, EditPreview, EditRecord } from '../api.js';
import { ConsoleError } from '../console-error.js';
import type { Management } from './mock-management.js';

/** The parts of a console that edits need. */
interface Surroundings {
  readonly management: Management;
  evaluator(): Evaluator;
  revision(): number;
  /** ISO 8601. */
  now(): string;
  /** The id of the request whose header of the console has this value; null if it is not in the log. */
  requestOf(mark: string): number | null;
  changed(): void;
}

interface Entry {
  readonly record: EditRecord;
  readonly opposite: Edit;
  /** The content that the edit left, as text. */
  readonly left: string;
}

const mostEntries = 1_000;

/** Content as text: equal for the content that was sent and for that which the services store. */
function textOf(content: unknown): string {
  if (content === undefined) return '';
  // The casts: the content of a policy, a scope or a role, checked before.
  if ('statements' in (content as object)) return stableJson(normalizePolicy(content as Policy));
  const { policies, scope, description } = content as {
    policies: string[];
    scope?: Policy | null;
    description?: string;
  };
  const stored = [...new Set(policies)].sort();
  return stableJson([stored, scope ? normalizePolicy(scope) : null, description ?? '']);
}

/** Makes edits and undoes them. */
export class Edits {
  readonly #around: Surroundings;
  readonly #entries: Entry[] = [];
  #newest = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(around: Surroundings) {
    this.#around = around;
  }

  /** Newest first. */
  list(): readonly EditRecord[] {
    return this.#entries.map(({ record }) => record).reverse();
  }

  preview(edit: Edit): EditPreview {
    const before = this.#around.evaluator();
    checkContent(edit);
    checkExistence(before, edit);
    const after = before.clone();
    applyEdit(after, edit);
    const findingsBefore = new Set(findingsOf(before).map((finding) => stableJson(finding)));
    const isNew = (finding: ConsoleFinding) => !findingsBefore.has(stableJson(finding));
    return {
      revision: this.#around.revision(),
      edit,
      call: callOf(edit),
      ...compareStates(before, after),
      findings: findingsOf(after).filter(isNew),
    };
  }

  make(edit: Edit, revision: number | undefined): Promise<EditRecord> {
    return this.#inTurn(() => this.#make(edit, revision));
  }

  undo(id: number): Promise<EditRecord> {
    return this.#inTurn(() => this.#undo(id));
  }

  /** Makes one change after the other: two pages may ask at the same time. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }

  #checkRevision(revision: number | undefined): void {
    if (revision !== undefined && revision !== this.#around.revision()) {
      throw new ConsoleError(
        'conflict',
        'the permissions have changed since the preview: look at it again',
        'revision',
      );
    }
  }

  async #make(edit: Edit, revision: number | undefined): Promise<EditRecord> {
    this.#checkRevision(revision);
    checkContent(edit);
    checkExistence(this.#around.evaluator(), edit);
    const time = this.#around.now();
    let opposite = edit;
    const { call, mark } = await this.#around.management.send(edit, () => {
      this.#checkRevision(revision);
      opposite = oppositeOf(edit, contentOf(this.#around.evaluator(), edit));
    });
    this.#newest += 1;
    const request = this.#around.requestOf(mark);
    const record = { id: this.#newest, time, edit, call, request, opposite: callOf(opposite), undone: false };
    this.#entries.push({ record, opposite, left: textOf(contentAfter(edit)) });
    if (this.#entries.length > mostEntries) this.#entries.shift();
    this.#around.changed();
    return record;
  }

  async #undo(id: number): Promise<EditRecord> {
    const find = () => this.#entries.findIndex(({ record }) => record.id === id);
    const entry = this.#entries[find()];
    if (entry === undefined) throw new ConsoleError('not-found', 'there is no such edit any more', 'id');
    const { record, opposite, left } = entry;
    if (record.undone) throw new ConsoleError('conflict', 'this edit is undone already', 'id');
    await this.#around.management.send(opposite, () => {
      if (textOf(contentOf(this.#around.evaluator(), record.edit)) === left) return;
      throw new ConsoleError(
        'conflict',
        'another call has changed this item since: undoing would lose its change',
        'id',
      );
    });
    const undone = { ...record, undone: true };
    this.#entries[find()] = { ...entry, record: undone };
    this.#around.changed();
    return undone;
  }
}
