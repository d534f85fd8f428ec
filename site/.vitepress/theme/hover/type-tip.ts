/** The element that shows a type, beside one name at a time. */
export interface TypeTip {
  show(name: HTMLElement, block: HTMLElement): void;
  hide(): void;
  contains(node: EventTarget | null): boolean;
  /** True if it shows the type of this name. */
  isOf(name: EventTarget | null): boolean;
}

/** Places the tip below a name, or above it where the window ends, within the width of its block. */
function place(tip: HTMLElement, name: HTMLElement, block: HTMLElement): void {
  const frame = block.getBoundingClientRect();
  const at = name.getBoundingClientRect();
  const left = Math.max(0, Math.min(at.left - frame.left, frame.width - tip.offsetWidth));
  const below = at.bottom - frame.top + 2;
  const isBelow = at.bottom + tip.offsetHeight < innerHeight || at.top < tip.offsetHeight;
  tip.style.left = `${left}px`;
  tip.style.top = `${isBelow ? below : at.top - frame.top - tip.offsetHeight - 2}px`;
}

/** Creates the tip; it stands in the block of its name, so that it is read and scrolled with it. */
export function createTip(): TypeTip {
  const tip = document.createElement('div');
  tip.id = 'type-tip';
  tip.className = 'type-tip';
  tip.setAttribute('role', 'tooltip');
  let described: HTMLElement | undefined;
  function hide(): void {
    described?.removeAttribute('aria-describedby');
    described = undefined;
    tip.remove();
  }
  return {
    hide,
    isOf: (name) => name === described,
    contains: (node) => node instanceof Node && tip.contains(node),
    show(name, block) {
      if (described === name) return;
      hide();
      described = name;
      const [type = '', ...about] = (name.dataset.type ?? '').split('\n\n');
      const code = document.createElement('code');
      code.textContent = type;
      tip.replaceChildren(
        code,
        ...about.map((text) => Object.assign(document.createElement('p'), { textContent: text })),
      );
      block.append(tip);
      name.setAttribute('aria-describedby', tip.id);
      place(tip, name, block);
    },
  };
}
