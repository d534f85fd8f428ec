import type { PolicyNode } from './compile.js';
import type { Policy } from './model.js';
import { inheritsNothing } from './plain.js';

/** How much text of different scopes is kept to find equal ones, in characters. */
const mostText = 1024 * 1024;
/** How many scopes with the same first resource are compared. */
const mostNear = 8;

interface Fields {
  readonly user?: unknown;
  readonly role?: unknown;
  readonly scope?: unknown;
  readonly statements?: unknown;
  readonly effect?: unknown;
  readonly actions?: unknown;
  readonly resources?: unknown;
  readonly description?: unknown;
}

const array: readonly unknown[] = [];

const isPlain = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;

/** True for a plain object that inherits none of these fields, so that all that are read are its own. */
export const isPlainBinding = (value: unknown): value is Fields => isPlain(value) && inheritsNothing();

const isSameDescription = (one: Fields, sound: Fields): boolean => (one.description ?? undefined) === sound.description;

/** Compares lists. An element that arrays inherit is not of this list, so that there is nothing to compare. */
function isSameList<T>(list: unknown, sound: readonly T[], isSame: (one: unknown, other: T) => boolean): boolean {
  if (!Array.isArray(list) || list.length !== sound.length) return false;
  for (let i = 0; i < sound.length; i++) {
    if (array[i] !== undefined || !isSame(list[i], sound[i] as T)) return false;
  }
  return true;
}

const isSameText = (text: unknown, sound: string): boolean => text === sound;

/** True only for what the checks would take, and copy as this sound scope. */
const isSameScope = (scope: unknown, sound: Policy): boolean =>
  isPlain(scope) &&
  isSameDescription(scope, sound) &&
  isSameList(
    scope.statements,
    sound.statements,
    (one, other) =>
      isPlain(one) &&
      one.effect === other.effect &&
      isSameDescription(one, other) &&
      isSameList(one.actions, other.actions, isSameText) &&
      isSameList(one.resources, other.resources, isSameText),
  );

/** By what scopes are looked up before they are compared: a resource, in all that are sound. It may be any value. */
// The cast: a value of another type has no such field, or any value in it.
const firstResource = (scope: unknown): unknown => (scope as Policy | undefined)?.statements?.[0]?.resources?.[0];

/** Scopes that were taken in, to check and store equal ones once. If there are too many, it starts again. */
export class KnownScopes {
  #near = new Map<unknown, PolicyNode[]>();
  #byJson = new Map<string, PolicyNode>();
  #text = 0;

  /** The equal one among the last ones with the same first resource, for a scope of a binding that is plain. */
  find(scope: unknown): PolicyNode | undefined {
    for (const node of this.#near.get(firstResource(scope)) ?? []) if (isSameScope(scope, node.source)) return node;
    return undefined;
  }

  /** The one that equals a sound copy; the given one, of this copy, where there is none. */
  add(node: PolicyNode): PolicyNode {
    const scope = node.source;
    // A polluted prototype may have a `toJSON`, so a candidate is compared.
    const text = String(JSON.stringify(scope));
    const known = this.#byJson.get(text);
    if (known && isSameScope(scope, known.source)) node = known;
    else {
      this.#text += text.length;
      if (this.#text > mostText) {
        this.#near = new Map();
        this.#byJson = new Map();
        this.#text = text.length;
      }
      this.#byJson.set(text, node);
    }
    const first = firstResource(scope);
    this.#near.set(first, [node, ...(this.#near.get(first) ?? [])].slice(0, mostNear));
    return node;
  }
}
