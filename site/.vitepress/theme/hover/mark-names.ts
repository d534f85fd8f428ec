import type { PageTypes } from './page-types.ts';

/** The text node that holds a part of a line, and where in it; `undefined` if the part crosses nodes. */
function findPart(line: Element, column: number, length: number): { node: Text; start: number } | undefined {
  const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
  let before = 0;
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    // The cast: the walker shows texts only.
    const { data } = node as Text;
    if (column >= before && column + length <= before + data.length)
      return { node: node as Text, start: column - before };
    before += data.length;
  }
  return undefined;
}

/**
 * Wraps each name of a block that has a type in a span, which holds the type as `data-type`. The first can be focused by
 * Tab; arrow keys move from there.
 */
export function markNames(block: HTMLElement, { texts, blocks }: PageTypes): void {
  const lines = block.querySelectorAll('code .line');
  // Lines at the beginning of the block that the page does not show.
  const hidden = Number(block.dataset.hidden);
  const names = blocks[Number(block.dataset.line)] ?? [];
  for (const [line, column, length, text] of names) {
    const element = lines[line - hidden];
    const part = element && findPart(element, column, length);
    if (part === undefined) continue;
    const name = part.node.splitText(part.start);
    name.splitText(length);
    const span = document.createElement('span');
    span.className = 'typed-name';
    span.tabIndex = -1;
    span.dataset.type = texts[text];
    name.replaceWith(span);
    span.append(name);
  }
  block.querySelector<HTMLElement>('.typed-name')?.setAttribute('tabindex', '0');
}
