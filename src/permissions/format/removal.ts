import { isMap, isSeq, type Node, type Pair } from 'yaml';
import {
  type Collection,
  columnOf,
  type Edit,
  isBlock,
  itemEnd,
  itemStart,
  nextLine,
  passComments,
} from './insertion.js';

// Removes items from the text of a file without changing the others and their comments.

/** The tokens before an item that are not parts of it. */
const between: readonly string[] = ['space', 'newline', 'comment', 'comma'];

/** The offset at which an item begins: that of its "-", its anchor or its key. */
function startOf({ srcToken, items }: Collection, index: number): number {
  const item = srcToken && 'items' in srcToken ? srcToken.items[index] : undefined;
  return item?.start.find(({ type }) => !between.includes(type))?.offset ?? itemStart(items[index]) ?? 0;
}

const lineStart = (text: string, offset: number): number => offset - columnOf(text, offset);

/** The line above one that begins at an offset: its beginning and its text; undefined above the first one. */
function lineAbove(text: string, offset: number) {
  if (offset === 0) return undefined;
  const from = lineStart(text, offset - 1);
  return { from, line: text.slice(from, offset) };
}

/** The beginning of the comments that stand directly above a line, with the same indentation. */
function commentsAbove(text: string, line: number, column: number): number {
  let from = line;
  for (let above = lineAbove(text, from); above; above = lineAbove(text, from)) {
    const content = above.line.trimStart();
    if (!content.startsWith('#') || above.line.length - content.length !== column) break;
    from = above.from;
  }
  return from;
}

/** The lines of an item of a block. */
interface ItemLines {
  /** The beginning of the comments directly above; `from` if there are none. */
  readonly lead: number;
  readonly from: number;
  readonly to: number;
  /** True if a comment or an empty line separates the item from the one above. */
  readonly isApart: boolean;
}

function linesOf(text: string, block: Collection): ItemLines[] {
  return block.items.map((item, index) => {
    const start = startOf(block, index);
    const from = lineStart(text, start);
    const lead = commentsAbove(text, from, start - from);
    const isApart = index === 0 || lead < from || lineAbove(text, from)?.line.trim() === '';
    // Comments that are indented below the item are its own: behind another block they could become a part of it.
    const to = passComments(text, nextLine(text, itemEnd(item)), start - from + 1);
    return { lead, from, to, isApart };
  });
}

/** Removes lines of a block. A comment above a run of items goes with the last of them. */
function removeLines(text: string, block: Collection, removed: ReadonlySet<number>): Edit[] {
  const edits: Edit[] = [];
  // Backwards, so that the rest of a run is known at its first item.
  let isWhole = true;
  for (const [index, { lead, from, to, isApart }] of [...linesOf(text, block).entries()].reverse()) {
    const isRemoved = removed.has(index);
    isWhole &&= isRemoved;
    if (isRemoved) edits.push({ from: isApart && isWhole ? lead : from, to, text: '' });
    if (isApart) isWhole = true;
  }
  return edits;
}

/** Removes runs of items of a flow collection, each with the comma before it or, at the beginning, the one behind. */
function removeInFlow(flow: Collection, removed: ReadonlySet<number>): Edit[] {
  const { items } = flow;
  const edits: Edit[] = [];
  for (let i = 0; i < items.length; i++) {
    if (!removed.has(i)) continue;
    let last = i;
    while (removed.has(last + 1)) last += 1;
    edits.push(
      last < items.length - 1
        ? { from: startOf(flow, i), to: startOf(flow, last + 1), text: '' }
        : { from: itemEnd(items[i - 1]), to: itemEnd(items[last]), text: '' },
    );
    i = last;
  }
  return edits;
}

/** The offset behind the ":" of a pair, and behind an anchor there. */
function behindColon({ srcToken, key }: Pair): number {
  const marks = srcToken?.sep?.filter(({ type }) => type === 'map-value-ind' || type === 'anchor') ?? [];
  const last = marks.at(-1);
  return last ? last.offset + last.source.length : ((key as Node | null)?.range?.[1] ?? 0);
}

/** Replaces the value of a pair by a text of one line. Comments inside a block stay, below it. */
export function replaceValue(text: string, pair: Pair, line: string): Edit[] {
  // The cast: a parsed document contains only nodes.
  const value = pair.value as Node | null;
  const [from, to] = value?.range ?? [];
  if (from !== undefined && to !== undefined && from < to && !isBlock(value)) return [{ from, to, text: line }];
  const at = behindColon(pair);
  const all = isBlock(value) ? removeLines(text, value, new Set(value.items.keys())) : [];
  return [{ from: at, to: at, text: ` ${line}` }, ...all];
}

/** Removes items, by their indexes, from the value of a pair. If none is left, it becomes `[]` or `{}`. */
export function removeItems(text: string, pair: Pair, removed: ReadonlySet<number>): Edit[] {
  const { value } = pair;
  if (removed.size === 0 || (!isMap(value) && !isSeq(value))) return [];
  if (removed.size === value.items.length) return replaceValue(text, pair, isMap(value) ? '{}' : '[]');
  return value.flow ? removeInFlow(value, removed) : removeLines(text, value, removed);
}
