import { markNames } from './mark-names.ts';
import { createLoader } from './page-types.ts';
import { createTip } from './type-tip.ts';

const closest = (target: EventTarget | null, selector: string): HTMLElement | undefined =>
  (target instanceof Element && target.closest<HTMLElement>(selector)) || undefined;

/** Milliseconds to move the pointer from a name to its tip. */
const graceMs = 200;

/** True while the mouse selects a text, which a type in its way would become a part of. */
const isSelecting = (event: Event): boolean =>
  event instanceof PointerEvent && event.pointerType === 'mouse' && event.buttons !== 0;

/** True for a focus that a pointer moved: what the pointer is on has been dealt with. */
const isByPointer = ({ type, target }: Event): boolean =>
  type === 'focusin' && target instanceof Element && !target.matches(':focus-visible');

/** The name that a key leads to from another one of its block. */
function nextName(name: HTMLElement, block: HTMLElement, key: string): HTMLElement | undefined {
  const names = [...block.querySelectorAll<HTMLElement>('.typed-name')];
  const at = names.indexOf(name);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: names.length - 1 }[key];
  return to === undefined ? undefined : names[to];
}

/**
 * Shows the type of a name in an example while the pointer is on it, or while it has the focus. The types of a page are
 * loaded at the first block that is pointed at or focused. Escape hides a type; arrow keys, Home and End move the focus
 * within a block.
 */
export function showTypes(addressOf: (page: string) => string): void {
  const load = createLoader(addressOf);
  const tip = createTip();
  let leaving: ReturnType<typeof setTimeout> | undefined;
  let latest: Event | undefined;

  async function prepare(block: HTMLElement): Promise<void> {
    const { page, marked } = block.dataset;
    if (page === undefined || marked !== undefined) return;
    block.dataset.marked = '';
    // Without its types a block is as readable as before, and the next visit tries again.
    await load(page).then(
      (types) => markNames(block, types),
      () => delete block.dataset.marked,
    );
  }

  async function visit(event: Event): Promise<void> {
    const { type, target } = event;
    if (isSelecting(event) || isByPointer(event)) return;
    latest = event;
    clearTimeout(leaving);
    const block = closest(target, '.typed-block');
    if (block !== undefined) await prepare(block);
    // While the types were loaded, the pointer may have gone on.
    if (latest !== event) return;
    const name = closest(target, '.typed-name');
    if (block !== undefined && name !== undefined) tip.show(name, block);
    else if (!tip.contains(target)) leaving = setTimeout(tip.hide, type === 'focusin' ? 0 : graceMs);
  }

  function press(event: KeyboardEvent): void {
    if (event.key === 'Escape') tip.hide();
    const name = closest(event.target, '.typed-name');
    const block = closest(name ?? null, '.typed-block');
    const next = name && block && nextName(name, block, event.key);
    if (name === undefined || next === undefined) return;
    event.preventDefault();
    name.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }

  document.addEventListener('pointerover', visit);
  document.addEventListener('pointerdown', (event) => {
    if (isSelecting(event) && !tip.contains(event.target)) tip.hide();
  });
  document.addEventListener('focusin', visit);
  document.addEventListener('focusout', ({ target }) => {
    if (tip.isOf(target)) tip.hide();
  });
  document.addEventListener('keydown', press);
}
