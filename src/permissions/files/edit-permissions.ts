import { remember } from '../../base/lib/remember.js';
import type { Policy, Role } from '../../policy/index.js';
import { toText } from '../format/file-text.js';
import type { Owned } from '../format/locate.js';
import { policyOfScope } from '../format/policy-of-scope.js';
import type { ParsedFile } from '../format/yaml.js';
import { PermissionsError } from '../model/permissions-error.js';
import type { PermissionsState } from '../model/permissions-state.js';
import { bindingItem, describeItem, type ItemName, itemKey, itemPaths } from '../model/plan-change.js';
import { sameContent } from '../model/same-content.js';
import { findWritable, type Omitted, type Writable } from '../model/writable.js';
import { addToFile } from './add-to-file.js';
import { collectFiles, type Permissions } from './collect-files.js';
import { contentOf, scopeWriter } from './file-content.js';
import { FileEditor } from './file-editor.js';
import { contentsOf, differencesOf, type EditedItem, textOfPolicy } from './item-differences.js';
import { ItemHomes } from './item-homes.js';
import type { ReadPermissionsOptions } from './read-permissions.js';

/** Files of permissions that were edited. */
export interface EditedPermissions {
  /** The whole texts of the files that change, by name. */
  readonly texts: ReadonlyMap<string, string>;
  readonly items: readonly EditedItem[];
  /** Items that stay as they are, because a file cannot hold them or the operator writes them. */
  readonly omitted: readonly Omitted[];
}

interface EditOptions extends ReadPermissionsOptions {
  /** The state of the files that the desired one was made of. Default: that of the files as they are now. */
  readonly given?: PermissionsState | undefined;
}

/** The users who have the roles of an item, or its own user. */
function usersOf(item: ItemName, { roles, bindings }: PermissionsState): readonly string[] {
  if (item.kind === 'binding') return item.user === undefined ? [] : [item.user];
  const isHolding = (role: string): boolean =>
    item.kind === 'policy' ? roles.get(role)?.policies.includes(item.name) === true : role === item.name;
  return [...new Set(bindings.flatMap(({ user, role }) => (isHolding(role) ? user : [])))];
}

/** The new items of a file. */
interface Part {
  readonly policies: Writable['policies'][number][];
  readonly roles: Writable['roles'][number][];
  readonly bindings: Writable['bindings'][number][];
}

/** The files and the state that they shall hold. */
interface Task {
  readonly files: Permissions;
  readonly parsed: readonly [ParsedFile, ...ParsedFile[]];
  placeOf(item: ItemName): Owned | undefined;
  readonly desired: PermissionsState;
  readonly items: readonly EditedItem[];
}

type Editors = (file: ParsedFile) => FileEditor;

/** Removes and changes items where they stand. */
function changeItems({ files, placeOf, desired, items }: Task, editorOf: Editors): void {
  const contents = contentsOf(desired);
  const writeScope = scopeWriter(files.scopes);
  const removed: { readonly file: ParsedFile; readonly section: string; readonly key: string | number }[] = [];
  for (const item of items) {
    const place = placeOf(item);
    if (place === undefined) continue;
    const { parsed: file, path } = place;
    const [section = '', key = ''] = path;
    // The casts: the content is of the item's kind.
    const content = contents.get(itemKey(item))?.content;
    if (item.action === 'delete') removed.push({ file, section: `${section}`, key });
    else if (item.kind === 'policy') editorOf(file).setPolicy(item.name, content as Policy);
    else if (item.kind === 'role') {
      const { policies, scope = null } = content as Role;
      const isSame = textOfPolicy(scope) === textOfPolicy(files.roles.get(item.name)?.scope);
      editorOf(file).setRole(item.name, policies, isSame ? undefined : scope && writeScope(scope));
    } else editorOf(file).setScope(`${section}`, Number(key), writeScope(content as Policy));
  }
  for (const [file, ofFile] of Map.groupBy(removed, (place) => place.file)) {
    for (const [section, places] of Map.groupBy(ofFile, (place) => place.section)) {
      editorOf(file).remove(section, new Set(places.map(({ key }) => key)));
    }
  }
}

/** Assigns each new item to the file that owns it; if no file does, one is chosen and made the owner by `manage`. */
function placeItems({ files, parsed, desired, items }: Task, editorOf: Editors) {
  const created = new Set(items.flatMap((item) => (item.action === 'create' ? itemKey(item) : [])));
  const isNew = (item: ItemName): boolean => created.has(itemKey(item));
  const { policies, roles, bindings, omitted } = findWritable(desired, isNew, (name) => files.policies.has(name));
  const homes = new ItemHomes(parsed);
  const parts = new Map<ParsedFile, Part>();
  const missing: { readonly file: ParsedFile; readonly kind: string; readonly name: string }[] = [];
  const partOf = (item: ItemName): Part => {
    const file = homes.fileOf(item, usersOf(item, desired));
    const [kind, name] = homes.missingName(file, item) ?? [];
    if (kind !== undefined && name !== undefined) missing.push({ file, kind, name });
    return remember(parts, file, (): Part => ({ policies: [], roles: [], bindings: [] }));
  };
  for (const policy of policies) partOf({ kind: 'policy', name: policy[0] }).policies.push(policy);
  for (const role of roles) partOf({ kind: 'role', name: role[0] }).roles.push(role);
  for (const binding of bindings) partOf(bindingItem(binding)).bindings.push(binding);
  for (const [file, ofFile] of Map.groupBy(missing, (lacking) => lacking.file)) {
    for (const [kind, ofKind] of Map.groupBy(ofFile, (lacking) => lacking.kind)) {
      const names = ofKind.map(({ name }) => name);
      editorOf(file).own(kind, names);
    }
  }
  return { parts, omitted };
}

/** Throws an error with the places of items, if there are any. */
function refuse(files: Permissions, items: readonly ItemName[], fault: (item: ItemName) => string): void {
  if (items.length === 0) return;
  const pathOf = itemPaths(files);
  const start = { file: files.files[0] ?? '', line: 1, column: 1 };
  throw new PermissionsError(
    items.map((item) => ({
      ...(files.locate(pathOf(item)) ?? start),
      message: `cannot be edited: ${fault(item)}`,
    })),
  );
}

/** Edits the texts of files. */
function editTexts(task: Task, textOf: (file: string) => string) {
  const editors = new Map<ParsedFile, FileEditor>();
  const editorOf: Editors = (file) => remember(editors, file, () => new FileEditor(textOf(file.file)));
  changeItems(task, editorOf);
  const { parts, omitted } = placeItems(task, editorOf);
  const scopes = new Map(task.files.scopes);
  const texts = new Map<string, string>();
  for (const file of new Set([...editors.keys(), ...parts.keys()])) {
    const text = editors.get(file)?.text ?? textOf(file.file);
    const part = parts.get(file);
    const content = part && contentOf(part, scopes);
    for (const [name, scope] of Object.entries(content?.scopes ?? {})) scopes.set(name, policyOfScope(scope));
    texts.set(file.file, content ? addToFile(file.file, text, content) : text);
  }
  return { texts, omitted };
}

const hint = 'name a new file, or write it out';

/**
 * Refuses texts that are not valid, or that hold other items than they shall.
 * @throws PermissionsError with the place of an item that cannot be edited.
 */
async function checkTexts(
  { files, desired, items }: Task,
  read: () => Promise<Permissions>,
  omitted: readonly Omitted[],
) {
  const after = await read().catch((error: unknown) => {
    if (!(error instanceof PermissionsError) || error.issues.length === 0) throw error;
    throw new PermissionsError(
      error.issues.map((issue) => ({ ...issue, message: `cannot be edited: the result ${issue.message}; ${hint}` })),
    );
  });
  const left = new Set(omitted.map(itemKey));
  const edited = new Set(items.map(itemKey));
  const now = contentsOf(after);
  // A comment or an empty line may have become a part of a description.
  const spoilt = [...contentsOf(files)].flatMap(([key, { item, content }]) => {
    const isSame = edited.has(key) || left.has(key) || sameContent(item.kind, content, now.get(key)?.content ?? null);
    return isSame ? [] : item;
  });
  const wrong = [...differencesOf(after, desired).filter((item) => !left.has(itemKey(item))), ...spoilt];
  const unique = [...new Map(wrong.map((item) => [itemKey(item), item])).values()];
  refuse(files, unique, (item) => `an alias or a block text would change the ${describeItem(item)}; ${hint}`);
}

/**
 * Edits files of permissions so that they hold other items, each change where the item stands: everything else stays as
 * it is, with comments, order, anchors, format and includes. A new item goes to the file that owns it by `manage`, or
 * that has the users who get it; if the patterns there do not match its name, the name is added to them. A binding
 * refers to a named scope that has the same content. Descriptions of changed items stay.
 * @param desired all items that the files shall hold.
 * @throws PermissionsError (code `PERMISSIONS`) for files that are not valid, for a file of custom resources, and for
 *   an item that cannot be edited, such as an alias, or that was changed since the state was read.
 */
export async function editPermissions(
  file: string,
  desired: PermissionsState,
  { read, realPath = (name) => name, deployment, given }: EditOptions,
): Promise<EditedPermissions> {
  const before = new Map<string, string>();
  const readOnce = async (name: string): Promise<string> => {
    const text = before.get(name) ?? toText(await read(name)) ?? '';
    before.set(name, text);
    return text;
  };
  const { permissions: files, files: parsed, placeOf } = await collectFiles(file, readOnce, deployment, realPath);
  // The edit would undo what was changed since.
  const changed = given ? differencesOf(given, files) : [];
  refuse(files, changed, (item) => `the ${describeItem(item)} was changed since it was read; run it again`);
  const [first, ...others] = parsed;
  if (first?.file !== file) {
    const message = 'cannot be edited: it holds custom resources, which the operator writes';
    throw new PermissionsError([{ file, line: 1, column: 1, message }]);
  }
  const all = differencesOf(files, desired);
  const isWritten = (item: EditedItem) => item.action === 'create' || placeOf(item) !== undefined;
  const task: Task = { files, parsed: [first, ...others], placeOf, desired, items: all.filter(isWritten) };
  const { texts, omitted: unwritten } = editTexts(task, (name) => before.get(name) ?? '');
  const operated = all.filter((item) => !isWritten(item));
  const omitted: Omitted[] = [
    ...unwritten,
    ...operated.map(({ action, ...item }) => ({ ...item, reason: 'a custom resource makes it: edit that' })),
  ];
  const readAfter = async (name: string) => texts.get(name) ?? (await readOnce(name));
  const reread = async () => (await collectFiles(file, readAfter, deployment, realPath)).permissions;
  await checkTexts(task, reread, omitted);
  const left = new Set(omitted.map(itemKey));
  return { texts, items: task.items.filter((item) => !left.has(itemKey(item))), omitted };
}
