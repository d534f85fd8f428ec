import { nameFault } from '../../policy/model/predefined-names.js';
import type { ParsedFile } from '../format/yaml.js';
import { type ManagedName, managedNames, Ownership, patternsOf } from '../model/ownership.js';
import type { Manage } from '../model/permissions-state.js';
import { type ItemName, sections } from '../model/plan-change.js';
import type { FileContent } from './file-content.js';
import { loadFiles } from './load-files.js';
import type { ReadPermissionsOptions } from './read-permissions.js';

/** A file of permissions, and the names that it owns. */
interface Home {
  readonly parsed: ParsedFile;
  readonly manage: Partial<Manage>;
  readonly ownership: Ownership;
  /** The users with a binding in the file. */
  readonly users: ReadonlySet<string>;
}

function readHome(parsed: ParsedFile): Home {
  // The cast: the file was checked. All fields may be missing.
  const { manage = {}, bindings = [] } = (parsed.value ?? {}) as {
    readonly manage?: Partial<Manage>;
    readonly bindings?: FileContent['bindings'];
  };
  return { parsed, manage, ownership: new Ownership(manage), users: new Set(bindings.map(({ user }) => user)) };
}

/** Decides in which of several files a new item belongs, and how it is named, so that one file owns it. */
export class ItemHomes {
  readonly #homes: readonly [Home, ...Home[]];

  constructor([first, ...others]: readonly [ParsedFile, ...ParsedFile[]]) {
    this.#homes = [readHome(first), ...others.map(readHome)];
  }

  /**
   * The file in which a new item belongs: the one that owns it, else the one that owns its users or has bindings of
   * them, else the first one.
   * @param users the users who get the policy or role, or the user of the binding.
   */
  fileOf(item: ItemName, users: readonly string[]): ParsedFile {
    return (this.#ownerOf(item) ?? this.#homeOf(users)).parsed;
  }

  /** The name that `manage` of a file has to get so that the file owns an item. */
  missingName(file: ParsedFile, item: ItemName): ManagedName | undefined {
    return this.#homes.find(({ parsed }) => parsed === file)?.ownership.missingName(item);
  }

  /** Names of a new policy and a new role of users, which the patterns of their file own if possible. */
  namesFor = (users: readonly string[], number: number): { readonly policy: string; readonly role: string } => ({
    policy: this.#nameOf('policy', users, number),
    role: this.#nameOf('role', users, number),
  });

  #nameOf(kind: 'policy' | 'role', users: readonly string[], number: number): string {
    const usual = `rehearsed-${number}`;
    const home = this.#homeOf(users);
    const prefixes = patternsOf(home.manage, sections[kind]).flatMap((pattern) =>
      pattern.endsWith('*') ? pattern.slice(0, -1) : [],
    );
    const isOwned = (name: string): boolean => {
      const owner = this.#ownerOf({ kind, name });
      const isValid = nameFault(name) === undefined && !name.includes(':');
      return isValid && (owner ? owner === home : !home.ownership.missingName({ kind, name }));
    };
    return [usual, ...prefixes.map((prefix) => `${prefix}${usual}`)].find(isOwned) ?? usual;
  }

  #ownerOf(item: ItemName): Home | undefined {
    const [home] = managedNames(item).flatMap(
      (name) => this.#homes.find(({ ownership }) => ownership.ownsName(name)) ?? [],
    );
    return home;
  }

  /** The file of all of these users, or the first one. */
  #homeOf(users: readonly string[]): Home {
    const [first] = this.#homes;
    const homes = new Set(
      users.map((user) => {
        const owner = this.#homes.find(({ ownership }) => ownership.ownsName(['users', user]));
        return owner ?? this.#homes.find((home) => home.users.has(user)) ?? first;
      }),
    );
    const [home] = homes;
    return home && homes.size === 1 ? home : first;
  }
}

/** Reads the files in which new items may belong; undefined if the first one holds custom resources. */
export async function readHomes(
  file: string,
  { read, realPath = (name) => name }: ReadPermissionsOptions,
): Promise<ItemHomes | undefined> {
  const [first, ...others] = (await loadFiles(file, read, realPath)).files;
  return first?.file === file ? new ItemHomes([first, ...others]) : undefined;
}
