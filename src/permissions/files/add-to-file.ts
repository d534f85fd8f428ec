import { isMap, isSeq, parseDocument, type YAMLMap } from 'yaml';
import {
  applyEdits,
  type Collection,
  type Edit,
  type FlowItem,
  indentOf,
  insertAt,
  insertFlow,
  insertLines,
  itemStart,
  pairOf,
} from '../format/insertion.js';
import { parseFile, yamlOptions } from '../format/yaml.js';
import { yamlLines } from '../format/yaml-text.js';
import { PermissionsError } from '../model/permissions-error.js';
import { isResource } from '../model/resource-kinds.js';
import { openLevels, type Section, sectionLines } from './export-permissions.js';
import type { FileContent } from './file-content.js';

const sections = Object.keys(openLevels) as Section[];

/** The items of a list or, by name, of a map. */
export type AddedItems = readonly unknown[] | Readonly<Record<string, unknown>>;

const itemsOf = (items: AddedItems): FlowItem[] =>
  Array.isArray(items) ? items.map((item) => [undefined, item] as const) : Object.entries(items);

/** The indentation of the first field of a JSON file. */
function unitOf(text: string, root: YAMLMap): string {
  const at = itemStart(root.items[0]) ?? 0;
  const lead = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return lead !== '' && lead.trim() === '' ? lead : '  ';
}

/** A list or a map of a file, in the value that holds it. */
export interface ItemsPlace {
  readonly root: YAMLMap;
  readonly parent: YAMLMap;
  readonly value: Collection;
}

/**
 * Adds items to a list or a map of a file.
 * @param open the number of nested levels that are written as blocks.
 */
export function addItems(text: string, { root, parent, value }: ItemsPlace, items: AddedItems, open: number): Edit[] {
  if (value.flow !== true) {
    const indent = indentOf(value);
    return [insertLines(text, value, yamlLines(items, indent, open), Math.max(indent, indentOf(parent) + 1))];
  }
  const [from = 0, to = 0] = value.range ?? [];
  if (parent.flow || text.slice(from + 1, to - 1).trim() !== '') {
    return insertFlow(text, value, itemsOf(items), root.flow ? unitOf(text, root) : undefined);
  }
  // Replaces an empty "{}" or "[]" in block style by a block.
  const end = text.indexOf('\n', to);
  const lines = yamlLines(items, indentOf(parent) + 2, open);
  return [
    { from: text[from - 1] === ' ' ? from - 1 : from, to, text: '' },
    insertAt(text, end < 0 ? text.length : end + 1, lines),
  ];
}

function editsOf(text: string, root: YAMLMap, content: FileContent, refuse: (path: string[]) => never): Edit[] {
  const edits: Edit[] = [];
  const added: Section[] = [];
  for (const name of sections.filter((section) => Object.keys(content[section]).length > 0)) {
    const pair = pairOf(root, name);
    if (!pair) added.push(name);
    else if (!isMap(pair.value) && !isSeq(pair.value)) refuse([name]);
    else {
      // The cast: other sections were refused above.
      const place = { root, parent: root, value: pair.value as Collection };
      edits.push(...addItems(text, place, content[name], openLevels[name]));
    }
  }
  if (added.length === 0) return edits;
  if (root.flow) {
    const items = added.map((name) => [name, content[name]] as const);
    return [...edits, ...insertFlow(text, root, items, unitOf(text, root))];
  }
  const indent = indentOf(root);
  const lines = added.flatMap((name) => ['', ...sectionLines(name, content, indent)]);
  return [...edits, insertLines(text, root, lines, 0)];
}

/** The value of the file with the added items, for checking. */
function joined(value: unknown, content: FileContent): unknown {
  // The cast: the file was checked.
  const before = (value ?? {}) as Readonly<Record<string, object>>;
  const after: Record<string, object> = { ...before };
  for (const name of sections) {
    const [had, items] = [before[name], content[name]];
    if (Object.keys(items).length === 0) continue;
    after[name] = Array.isArray(items)
      ? [...((had ?? []) as unknown[]), ...items]
      : Object.fromEntries([...Object.entries(had ?? {}), ...Object.entries(items)]);
  }
  return after;
}

/**
 * Adds items to the text of a file. The existing text does not change, including comments and anchors.
 *
 * @throws PermissionsError for custom resources, for a section that is an alias, and for one that an alias refers to.
 */
export function addToFile(file: string, source: string, content: FileContent): string {
  const parsed = parseFile(file, source);
  const refuse = (path: readonly string[]): never => {
    throw new PermissionsError([
      parsed.issueAt(path, 'cannot be added to: it is an alias, or an alias repeats it; write it out', true),
    ]);
  };
  if (isResource(parsed.value)) {
    const message = 'cannot be added to: it holds custom resources, which the operator writes';
    throw new PermissionsError([parsed.issueAt([], message)]);
  }
  const bom = source.startsWith('\ufeff') ? '\ufeff' : '';
  const text = source.slice(bom.length);
  const { contents, range } = parseDocument(text, { ...yamlOptions, keepSourceTokens: true });
  const lines = sections.flatMap((name) => sectionLines(name, content, 0));
  const edits = isMap(contents)
    ? editsOf(text, contents, content, refuse)
    : [insertAt(text, Math.min(range[1], text.length), lines)];
  const edited = bom + applyEdits(text, edits);
  const { value, issues } = parseFile(file, edited);
  const [first] = issues;
  if (first) throw new PermissionsError([parsed.issueAt([], `cannot be added to: the result ${first.message}`)]);
  if (JSON.stringify(value) !== JSON.stringify(joined(parsed.value, content))) refuse([]);
  return edited;
}
