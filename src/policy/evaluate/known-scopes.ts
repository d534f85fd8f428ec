import type { Policy } from '../model/model.js';
import { type Fields, isPlain } from '../model/plain.js';
import type { PolicyNode } from './compile.js';

/** The number of characters of different scopes kept to find equal ones. */
const mostText = 1024 * 1024;
/** The maximum number of compared scopes with the same first resource. */
const mostNear = 8;

const array: readonly unknown[] = [];

const isSameDescription = (raw: Fields, sound: Fields): boolean => (raw.description ?? undefined) === sound.description;

/** Compares lists. A list with an inherited element counts as different. */
function isSameList<T>(
  list: unknown,
  sound: readonly T[],
  isSame: (one: unknown, other: T) => boolean = Object.is,
): boolean {
  if (!Array.isArray(list) || list.length !== sound.length) return false;
  for (let i = 0; i < sound.length; i++) {
    if (array[i] !== undefined || !isSame(list[i], sound[i] as T)) return false;
  }
  return true;
}

/** True only if validation would accept the value and its copy would equal this valid scope. */
const isSameScope = (scope: unknown, sound: Policy): boolean =>
  isPlain(scope) &&
  isSameDescription(scope, sound) &&
  isSameList(
    scope.statements,
    sound.statements,
    (statement, other) =>
      isPlain(statement) &&
      statement.effect === other.effect &&
      isSameDescription(statement, other) &&
      isSameList(statement.actions, other.actions) &&
      isSameList(statement.resources, other.resources),
  );

/** The key of a scope: its first resource. The cast: each step accepts any value; a wrong key can only miss. */
const firstResource = (scope: unknown): unknown => (scope as Policy | undefined)?.statements?.[0]?.resources?.[0];

/** Recently loaded scopes, so that equal scopes are validated and stored once. Cleared when it grows too large. */
export class KnownScopes {
  #near = new Map<unknown, PolicyNode[]>();
  #byJson = new Map<string, PolicyNode>();
  #text = 0;

  /** Returns a known scope equal to that of a plain binding, among recent ones with the same first resource. */
  find(scope: unknown): PolicyNode | undefined {
    for (const node of this.#near.get(firstResource(scope)) ?? []) if (isSameScope(scope, node.source)) return node;
    return undefined;
  }

  /** Returns the known scope that equals a valid copy; if there is none, the copy itself becomes known. */
  add(node: PolicyNode): PolicyNode {
    const scope = node.source;
    // A polluted prototype may have a `toJSON`, so equal text is not enough: candidates are compared.
    const text = String(JSON.stringify(scope));
    const candidate = this.#byJson.get(text);
    if (candidate && isSameScope(scope, candidate.source)) node = candidate;
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
