import { isMap, isPair, isScalar, isSeq, type Node, type Pair, type YAMLMap, type YAMLSeq } from 'yaml';
import { jsonText } from '../../base/lib/json-text.js';
import { yamlFlow } from './yaml-text.js';

// Inserts items into the text of a file without changing any existing character.

/** A change of a text: replaces the text between two offsets. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** A list or a map of a file. */
export type Collection = YAMLMap | YAMLSeq;

/** Applies edits, which must not overlap; edits at the same offset keep their order. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  let [edited, at] = ['', 0];
  for (const edit of [...edits].sort((a, b) => a.from - b.from)) {
    edited += text.slice(at, edit.from) + edit.text;
    at = edit.to;
  }
  return edited + text.slice(at);
}

/** True for a list or a map in block style. */
export const isBlock = (node: unknown): node is Collection => (isMap(node) || isSeq(node)) && !node.flow;

/** Finds the pair of a map by its key. */
export const pairOf = (map: unknown, name: string): Pair | undefined =>
  isMap(map) ? map.items.find(({ key }) => isScalar(key) && key.value === name) : undefined;

/** The offset of an item of a list, or of the key of a map's item. */
export const itemStart = (item: unknown): number | undefined =>
  // The cast: a parsed document contains only nodes.
  ((isPair(item) ? item.key : item) as Node | null | undefined)?.range?.[0];

/** The offset after an item, without its trailing comment; 0 for a missing one. */
export function itemEnd(item: unknown): number {
  // The cast: a parsed document contains only nodes.
  const last = (isPair(item) ? (item.value ?? item.key) : item) as Node | null | undefined;
  return last ? endOf(last) : 0;
}

/** The offset after a node, without its trailing comments. */
const endOf = (node: Node): number => (isBlock(node) && itemEnd(node.items.at(-1))) || (node.range?.[1] ?? 0);

export const columnOf = (text: string, offset: number): number => offset - (text.lastIndexOf('\n', offset - 1) + 1);

/** The offset of the next line, or the end of the text. */
export function nextLine(text: string, offset: number): number {
  if (offset > 0 && text[offset - 1] === '\n') return offset;
  const end = text.indexOf('\n', offset);
  return end < 0 ? text.length : end + 1;
}

/** Skips comments that are indented by at least `indent`. */
export function passComments(text: string, offset: number, indent: number): number {
  let end = offset;
  for (let at = offset; at < text.length; ) {
    const next = nextLine(text, at + 1);
    const line = text.slice(at, next);
    const content = line.trimStart();
    if (content.startsWith('#') && line.length - content.length >= indent) end = next;
    else if (content !== '') break;
    at = next;
  }
  return end;
}

/** The column of the items of a block; in a list, that of the "-". */
export const indentOf = ({ srcToken }: Collection): number => (srcToken && 'indent' in srcToken ? srcToken.indent : 0);

/** Inserts lines after the last item of a block and its comments, which are indented by at least `indent`. */
export function insertLines(text: string, block: Collection, lines: readonly string[], indent: number): Edit {
  const at = passComments(text, nextLine(text, endOf(block)), indent);
  return insertAt(text, at, lines);
}

/** Inserts lines at the beginning of a line, or at the end of the text. */
export function insertAt(text: string, at: number, lines: readonly string[]): Edit {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const begin = at > 0 && text[at - 1] !== '\n' ? eol : '';
  return { from: at, to: at, text: begin + lines.map((line) => line + eol).join('') };
}

/** True if a flow collection has a trailing comma. */
function hasComma(between: string): boolean {
  return between.replace(/#.*/g, '').includes(',');
}

/** An item of a flow collection: its key in a map, and its value. */
export type FlowItem = readonly [name: string | undefined, value: unknown];

/**
 * Inserts items before the closing bracket of a flow collection, on separate lines if the bracket stands on its own
 * line.
 * @param unit the indentation of JSON; undefined for YAML, in which each item is one line.
 */
export function insertFlow(text: string, flow: Collection, items: readonly FlowItem[], unit?: string): Edit[] {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const close = (flow.range?.[1] ?? 1) - 1;
  const lastEnd = itemEnd(flow.items.at(-1)) || undefined;
  const closeIndent = text.slice(close - columnOf(text, close), close);
  const isOpen = closeIndent.trim() === '';
  const write = ([name, value]: FlowItem, indent?: string) => {
    if (unit === undefined) return name === undefined ? yamlFlow(value) : yamlFlow({ [name]: value }).slice(2, -2);
    const begin = name === undefined ? '' : `${jsonText(name)}: `;
    return begin + (indent === undefined ? jsonText(value) : jsonText(value, unit).replaceAll('\n', eol + indent));
  };
  if (!isOpen) {
    const list = items.map((item) => write(item)).join(', ');
    const at = lastEnd ?? close;
    return [{ from: at, to: at, text: lastEnd === undefined ? list : `, ${list}` }];
  }
  const firstAt = itemStart(flow.items[0]);
  const lead = firstAt === undefined ? '' : text.slice(firstAt - columnOf(text, firstAt), firstAt);
  const indent = firstAt !== undefined && lead.trim() === '' ? lead : closeIndent + (unit ?? '  ');
  const begin = close - closeIndent.length;
  const lines = items.map((item) => indent + write(item, indent)).join(`,${eol}`) + eol;
  const comma = lastEnd !== undefined && !hasComma(text.slice(lastEnd, close));
  return [...(comma ? [{ from: lastEnd, to: lastEnd, text: ',' }] : []), { from: begin, to: begin, text: lines }];
}
