import { isMap, isNode, isScalar, isSeq, parseDocument, type YAMLMap } from 'yaml';
import {
  applyEdits,
  type Collection,
  type Edit,
  type FlowItem,
  indentOf,
  insertAt,
  insertFlow,
  insertLines,
} from '../format/insertion.js';
import { parseFile, yamlOptions } from '../format/yaml.js';
import { yamlLines } from '../format/yaml-text.js';
import { PermissionsError } from '../model/permissions-error.js';
import { isResource } from '../model/resource-kinds.js';
import { openLevels, type Section, sectionLines } from './export-permissions.js';
import type { FileContent } from './file-content.js';

const sections = Object.keys(openLevels) as Section[];

/** A section, and items of it. */
type SectionItems = readonly [name: Section, items: FileContent[Section]];

const itemsOf = (items: FileContent[Section]): FlowItem[] =>
  Array.isArray(items) ? items.map((item) => [undefined, item] as const) : Object.entries(items);

/** The indentation of the first field of a JSON file. */
function unitOf(text: string, root: YAMLMap): string {
  const [first] = root.items;
  const at = isNode(first?.key) ? (first.key.range?.[0] ?? 0) : 0;
  const lead = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return lead !== '' && lead.trim() === '' ? lead : '  ';
}

/** Adds the items of a section to its value in the file. */
function addToSection(text: string, root: YAMLMap, value: Collection, [name, items]: SectionItems): Edit[] {
  const inBlock = root.flow !== true;
  if (value.flow !== true) {
    const indent = indentOf(value);
    const lines = yamlLines(items, indent, openLevels[name]);
    return [insertLines(text, value, lines, Math.max(indent, indentOf(root) + 1))];
  }
  const [from = 0, to = 0] = value.range ?? [];
  if (!inBlock || text.slice(from + 1, to - 1).trim() !== '') {
    return insertFlow(text, value, itemsOf(items), root.flow ? unitOf(text, root) : '  ');
  }
  // Replaces an empty "{}" or "[]" in block style by a block.
  const end = text.indexOf('\n', to);
  const lines = yamlLines(items, indentOf(root) + 2, openLevels[name]);
  return [
    { from: text[from - 1] === ' ' ? from - 1 : from, to, text: '' },
    insertAt(text, end < 0 ? text.length : end + 1, lines),
  ];
}

function editsOf(text: string, root: YAMLMap, content: FileContent, refuse: (path: string[]) => never): Edit[] {
  const edits: Edit[] = [];
  const added: Section[] = [];
  for (const name of sections.filter((section) => Object.keys(content[section]).length > 0)) {
    const pair = root.items.find(({ key }) => isScalar(key) && key.value === name);
    if (!pair) added.push(name);
    else if (!isMap(pair.value) && !isSeq(pair.value)) refuse([name]);
    // The cast: other sections were refused above.
    else edits.push(...addToSection(text, root, pair.value as Collection, [name, content[name]]));
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
export function addToFile(file: string, given: string, content: FileContent): string {
  const parsed = parseFile(file, given);
  const refuse = (path: readonly string[]): never => {
    throw new PermissionsError([
      parsed.issueAt(path, 'cannot be added to: it is an alias, or an alias repeats it; write it out', true),
    ]);
  };
  if (isResource(parsed.value)) {
    const message = 'cannot be added to: it holds custom resources, which the operator writes';
    throw new PermissionsError([parsed.issueAt([], message)]);
  }
  const bom = given.startsWith('\ufeff') ? '\ufeff' : '';
  const text = given.slice(bom.length);
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
