import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../../../scripts/lib/exec.ts';
import type { Hands } from './hands.ts';

/** Finds elements by the names that a screen reader says, inside the dialog if one is open. */
const finders = `
  const area = document.querySelector('dialog[open]') ?? document;
  const text = (element) => (element.getAttribute('aria-label') ?? element.textContent ?? '').trim();
  const isSeen = (element) => element.getClientRects().length > 0;
  const named = (selector, name) => {
    const found = [...area.querySelectorAll(selector)].filter(isSeen);
    return found.find((one) => text(one) === name) ?? found.find((one) => text(one).startsWith(name));
  };
  const field = (name) => {
    const label = [...area.querySelectorAll('label')].filter(isSeen).find((one) => text(one) === name);
    return label === undefined ? undefined : label.control;
  };
`;
const clickables = 'button, a, summary, [role=option], label.check';

const patienceMs = 15_000;

/** Where the pictures of a run stay. */
export const pictures = join(root, 'reports/console');

/** Drives the page as a person does: by what is written on it, with mouse and keyboard. */
export class Person {
  readonly #hands: Hands;
  readonly #name: string;

  constructor(name: string, hands: Hands) {
    this.#name = name;
    this.#hands = hands;
  }

  async open(url: string): Promise<void> {
    // A page that differs only in its fragment would not be loaded again.
    await this.#hands.go('about:blank');
    await this.#hands.go(url);
  }

  /** Loads the page again, and waits for the new document: the old one still answers for a moment. */
  async reload(): Promise<void> {
    await this.#hands.run('window.isOld = true; location.reload();');
    await this.#until('a new document', "return !window.isOld && document.readyState === 'complete';");
  }

  /** The text that a mouse over a button shows. */
  async hint(name: string): Promise<string> {
    const find = `${finders} const found = named('button', arguments[0]);`;
    await this.#until(`a button ${name}`, `${find} return found !== undefined;`, name);
    return String(await this.#hands.run(`${find} return found.title;`, name));
  }

  /** Clicks on a button, a link, a row or a tick box, once it is there and can be used. */
  async click(name: string): Promise<void> {
    const find = `${finders} const found = named(${JSON.stringify(clickables)}, arguments[0]);`;
    const watch = `const isWanted = (one) => one !== null && text(one).startsWith(arguments[0]);
      window.isMissed = true;
      const hit = ({ target }) => { window.isMissed = !isWanted(target.closest(${JSON.stringify(clickables)})); };
      document.addEventListener('click', hit, { capture: true, once: true });`;
    for (let misses = 0; misses < 5; misses += 1) {
      await this.#until(`a usable ${name}`, `${find} return found !== undefined && !found.disabled;`, name);
      await this.#hands.run(`${find} ${watch}`, name);
      await this.#hands.clickOn(`${find} return found;`, name);
      // A page that still grows may move it away under the pointer. A page that was left has no answer.
      if ((await this.#hands.run('return window.isMissed;').catch(() => false)) !== true) return;
    }
    throw new Error(`${this.#name} missed ${name} five times`);
  }

  /** Replaces the text of a field. */
  async type(label: string, text: string): Promise<void> {
    await this.#until(`a field ${label}`, `${finders} return field(arguments[0]) != null;`, label);
    await this.#hands.run(`${finders} const found = field(arguments[0]); found.focus(); found.select();`, label);
    if (text === '') await this.#hands.press('Delete');
    else await this.#hands.write(text);
  }

  /** Drops a file onto a field. */
  async drop(label: string, name: string, text: string): Promise<void> {
    await this.#until(`a field ${label}`, `${finders} return field(arguments[0]) != null;`, label);
    const drop = `const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([arguments[2]], arguments[1]));
      field(arguments[0]).dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));`;
    await this.#hands.run(finders + drop, label, name, text);
  }

  /** Drops a file of any bytes onto a field. */
  async dropBytes(label: string, name: string, bytes: Buffer): Promise<void> {
    await this.#until(`a field ${label}`, `${finders} return field(arguments[0]) != null;`, label);
    const drop = `const dataTransfer = new DataTransfer();
      const bytes = Uint8Array.from(atob(arguments[2]), (char) => char.charCodeAt(0));
      dataTransfer.items.add(new File([bytes], arguments[1]));
      field(arguments[0]).dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));`;
    await this.#hands.run(finders + drop, label, name, bytes.toString('base64'));
  }

  /** Chooses an option of a field. */
  async choose(label: string, option: string): Promise<void> {
    const find = `${finders} const found = [...(field(arguments[0])?.options ?? [])].find((one) => one.text === arguments[1]);`;
    await this.#until(`${option} in ${label}`, `${find} return found !== undefined;`, label, option);
    const choose = `found.parentElement.value = found.value;
      found.parentElement.dispatchEvent(new Event('change', { bubbles: true }));`;
    await this.#hands.run(`${find} ${choose}`, label, option);
  }

  /** Presses keys one after the other, by their names in `KeyboardEvent.key`. */
  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#hands.press(key);
  }

  /** Waits until all of these texts are on the page. */
  async sees(...texts: readonly string[]): Promise<void> {
    for (const text of texts) {
      await this.#until(`the text ${text}`, 'return document.body.innerText.includes(arguments[0]);', text);
    }
  }

  /** Waits until a text is gone. */
  async missesText(text: string): Promise<void> {
    await this.#until(`no text ${text}`, 'return !document.body.innerText.includes(arguments[0]);', text);
  }

  /** The name of the element that has the focus. */
  async focused(): Promise<string> {
    const script = `${finders} const { activeElement } = document;
      return text(activeElement) || (activeElement.labels?.[0]?.textContent ?? activeElement.tagName);`;
    return String(await this.#hands.run(script));
  }

  /** Presses Tab until a name has the focus; fails after a whole round of the page. */
  async tabTo(name: string): Promise<void> {
    const seen: string[] = [];
    for (let presses = 0; presses < 80; presses += 1) {
      await this.#hands.press('Tab');
      const focused = await this.focused();
      if (focused.startsWith(name)) return;
      seen.push(focused);
    }
    throw new Error(`Tab never reached ${name}, but ${seen.join(' | ')}`);
  }

  /** The value of a field. */
  async valueOf(label: string): Promise<string> {
    return String(await this.#hands.run(`${finders} return field(arguments[0])?.value;`, label));
  }

  /** The value of a box that names itself. */
  async valueOfBox(name: string): Promise<string> {
    return String(await this.#hands.run(`${finders} return named('textarea', arguments[0])?.value;`, name));
  }

  async address(): Promise<string> {
    return String(await this.#hands.run('return location.href;'));
  }

  run(script: string, ...args: readonly unknown[]): Promise<unknown> {
    return this.#hands.run(script, ...args);
  }

  /** Keeps a picture of what is seen now in the output folder of the tests. */
  async picture(name: string): Promise<void> {
    await mkdir(pictures, { recursive: true });
    await writeFile(join(pictures, `${this.#name}-${name}.png`), await this.#hands.picture());
  }

  close(): Promise<void> {
    return this.#hands.close();
  }

  async #until(wanted: string, script: string, ...args: readonly unknown[]): Promise<void> {
    const end = Date.now() + patienceMs;
    while ((await this.#hands.run(script, ...args).catch(() => false)) !== true) {
      if (Date.now() < end) {
        await new Promise((resolve) => setTimeout(resolve, 25));
        continue;
      }
      const text = await this.#hands.run('return document.body.innerText;');
      throw new Error(`${this.#name} never showed ${wanted}, but:\n${String(text).slice(0, 2_000)}`);
    }
  }
}
