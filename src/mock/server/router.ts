import { InvalidArgumentError } from '../../base/errors.js';
import type { Params } from '../wire/mock-exchange.js';
import { patternFault, segmentName } from '../wire/path-rules.js';

interface Leaf<T> {
  readonly names: readonly string[];
  /** By method. The last registration wins, and removing it restores the one before. */
  readonly methods: Map<string, T[]>;
}

type Node<T> = { readonly fixed: Map<string, Node<T>>; named?: Node<T>; leaf?: Leaf<T>; rest?: Leaf<T> };

/** The result of a lookup. `known` is true if the path exists, for this method or another. */
export type RouteMatch<T> = { readonly target: T | undefined; readonly params: Params; readonly known: boolean };

/** A table of endpoints: fixed paths in one map, patterns in a tree of maps, so that nothing is scanned. */
export interface Router<T> {
  /** Adds a target for `/a/:name/b`, `/a/{name}/b` or `/a/*` (any rest); returns a function that removes it. */
  add(method: string, pattern: string, target: T): () => void;
  /** Finds a target; one added for the method `*` matches any. `segments` is called only if no fixed path matches. */
  find(method: string, path: string, segments: () => readonly string[]): RouteMatch<T>;
}

const noParams: Params = Object.freeze({});
export const unknown = { target: undefined, params: noParams, known: false };

function pick<T>(leaf: Leaf<T>, method: string): T | undefined {
  return (leaf.methods.get(method) ?? leaf.methods.get('*'))?.at(-1);
}

/** Finds a target in the tree of patterns. */
function search<T>(root: Node<T>, method: string, segments: readonly string[]): RouteMatch<T> {
  const values: string[] = [];
  let known = false;
  const hit = (leaf: Leaf<T>, rest?: string): RouteMatch<T> | undefined => {
    const target = pick(leaf, method);
    if (target === undefined) {
      known ||= leaf.methods.size > 0;
      return undefined;
    }
    const all = rest === undefined ? values : [...values, rest];
    // fromEntries defines own properties, so any parameter name is safe.
    return { target, params: Object.fromEntries(leaf.names.map((name, i) => [name, all[i] ?? ''])), known: true };
  };
  const walk = (node: Node<T>, at: number): RouteMatch<T> | undefined => {
    const segment = segments[at];
    if (segment === undefined) {
      const match = node.leaf === undefined ? undefined : hit(node.leaf);
      if (match !== undefined) return match;
    } else {
      const next = node.fixed.get(segment);
      const match = next === undefined ? undefined : walk(next, at + 1);
      if (match !== undefined) return match;
      if (node.named !== undefined) {
        values.push(segment);
        const named = walk(node.named, at + 1);
        if (named !== undefined) return named;
        values.pop();
      }
    }
    return node.rest === undefined ? undefined : hit(node.rest, segments.slice(at).join('/'));
  };
  return walk(root, 0) ?? { target: undefined, params: noParams, known };
}

/** Creates an empty table. */
export function createRouter<T>(): Router<T> {
  const root: Node<T> = { fixed: new Map() };
  const whole = new Map<string, Leaf<T>>();
  /** The last lookup: an adapter looks a request up before it reads the body, and the mock again after that. */
  let last: { readonly method: string; readonly path: string; readonly found: RouteMatch<T> } | undefined;

  function leafFor(pattern: string): Leaf<T> {
    const fault = patternFault(pattern);
    if (fault !== undefined) throw new InvalidArgumentError('path', fault);
    const parts = pattern.slice(1).split('/');
    const names: string[] = [];
    let node = root;
    for (const [i, part] of parts.entries()) {
      if (part === '*' && i === parts.length - 1) {
        node.rest ??= { names: [...names, '*'], methods: new Map() };
        return node.rest;
      }
      const name = segmentName(part);
      if (name !== undefined) {
        names.push(name);
        node.named ??= { fixed: new Map() };
        node = node.named;
      } else {
        const next = node.fixed.get(part) ?? { fixed: new Map() };
        node.fixed.set(part, next);
        node = next;
      }
    }
    node.leaf ??= { names, methods: new Map() };
    if (names.length === 0) whole.set(pattern, node.leaf);
    return node.leaf;
  }

  return {
    add(method, pattern, target) {
      const { methods } = leafFor(pattern);
      last = undefined;
      const rows = methods.get(method) ?? [];
      methods.set(method, rows);
      rows.push(target);
      return () => {
        last = undefined;
        const index = rows.lastIndexOf(target);
        if (index >= 0) rows.splice(index, 1);
        if (rows.length === 0 && methods.get(method) === rows) methods.delete(method);
      };
    },
    find(method, path, segments) {
      const leaf = whole.get(path);
      const target = leaf === undefined ? undefined : pick(leaf, method);
      if (target !== undefined) return { target, params: noParams, known: true };
      if (last?.path === path && last.method === method) return last.found;
      const parts = segments();
      const match = parts.length === 0 ? unknown : search(root, method, parts);
      // Callers decode escapes differently.
      if (!path.includes('%')) last = { method, path, found: match };
      return match;
    },
  };
}
