import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface VirtualListProps<T> {
  /** The items from the first one on; those after them are loaded when they are scrolled to. */
  readonly items: readonly T[];
  /** The number of all items. */
  readonly count: number;
  /** Called while rows are shown whose items are not there. */
  onMissing(): void;
  readonly label: string;
  keyOf(item: T): string;
  readonly selected: string | undefined;
  onSelect(key: string): void;
  onOpen(): void;
  render(item: T): ComponentChildren;
}

const rowHeight = 32;
const around = 6;

/** Returns the range of rows that the scrolled list renders, including some above and below the visible ones. */
function visibleRows(scrollTop: number, height: number, count: number): readonly [from: number, to: number] {
  const first = Math.floor(scrollTop / rowHeight);
  return [Math.max(0, first - around), Math.min(count, first + Math.ceil(height / rowHeight) + around)];
}

/** The row that a key moves to; undefined for other keys. */
function rowAfter(key: string, current: number, count: number, page: number): number | undefined {
  const moves: Readonly<Record<string, number>> = {
    ArrowDown: current + 1,
    ArrowUp: current - 1,
    PageDown: current + page,
    PageUp: current - page,
    Home: 0,
    End: count - 1,
  };
  const next = moves[key];
  return next === undefined ? undefined : Math.min(count - 1, Math.max(0, next));
}

/**
 * A list of any length, of which only the visible rows are in the document. The focus stays on the list, and
 * `aria-activedescendant` names the row, so that scrolling loses neither.
 */
export function VirtualList<T>({
  items,
  count,
  label,
  keyOf,
  selected,
  onSelect,
  onOpen,
  ...more
}: VirtualListProps<T>) {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const firstKey = useRef<string>();
  /** The row that a key moved to before its item was there. */
  const awaited = useRef<number>();
  const [view, setView] = useState({ top: 0, height: 600 });
  const measure = () => {
    const { scrollTop: top = 0, clientHeight: height = 600 } = box.current ?? {};
    setView((before) => (before.top === top && before.height === height ? before : { top, height }));
  };

  useLayoutEffect(() => {
    measure();
    const observer = new ResizeObserver(measure);
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);

  // New rows are inserted at the top: adjusts the scroll position so that the visible rows stay in place.
  useLayoutEffect(() => {
    const first = items[0];
    const before = firstKey.current;
    firstKey.current = first === undefined ? undefined : keyOf(first);
    if (box.current === null || before === undefined || before === firstKey.current || box.current.scrollTop === 0)
      return;
    const added = items.findIndex((item) => keyOf(item) === before);
    if (added > 0) box.current.scrollTop += added * rowHeight;
    measure();
  }, [items]);

  const current = selected === undefined ? -1 : items.findIndex((item) => keyOf(item) === selected);
  const select = (row: number) => {
    const item = items[row];
    awaited.current = item === undefined ? row : undefined;
    if (item !== undefined) onSelect(keyOf(item));
  };
  const move = (event: KeyboardEvent) => {
    if (event.key === 'Enter') return onOpen();
    const next = rowAfter(event.key, current, count, Math.max(1, Math.floor(view.height / rowHeight) - 1));
    if (next === undefined || count === 0 || box.current === null) return;
    event.preventDefault();
    const top = next * rowHeight;
    if (top < box.current.scrollTop) box.current.scrollTop = top;
    const bottom = top + rowHeight - box.current.clientHeight;
    if (bottom > box.current.scrollTop) box.current.scrollTop = bottom;
    measure();
    select(next);
  };

  const [from, to] = visibleRows(view.top, view.height, count);
  const isMissing = to > items.length;
  useEffect(() => {
    if (isMissing) more.onMissing();
    else if (awaited.current !== undefined) select(Math.min(awaited.current, count - 1));
  }, [isMissing, items]);
  // Reuses elements: rows that scroll into view take those of rows that scroll out.
  const slots = Math.ceil(view.height / rowHeight) + 2 * around + 1;
  const isShown = current >= from && current < to;
  return (
    <div
      ref={box}
      class="list"
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={isShown ? `${id}-${current}` : undefined}
      onScroll={measure}
      onKeyDown={move}
    >
      <div role="presentation" class="list-space" style={{ height: `${count * rowHeight}px` }}>
        {items.slice(from, to).map((item, index) => {
          const row = from + index;
          const key = keyOf(item);
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the focus and handles the keys
            <div
              key={row % slots}
              id={`${id}-${row}`}
              class="list-row"
              role="option"
              tabIndex={-1}
              aria-selected={row === current}
              aria-setsize={count}
              aria-posinset={row + 1}
              style={{ transform: `translateY(${row * rowHeight}px)` }}
              onClick={() => {
                onSelect(key);
                onOpen();
              }}
            >
              {more.render(item)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
