import { type Document, isAlias, isMap, isScalar, isSeq, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { jsonText } from '../../base/lib/json-text.js';
import type { Policy, Statement } from '../../policy/index.js';
import { covers } from '../../policy/model/overlap.js';
import { parseSegments } from '../../policy/model/pattern.js';
import { applyEdits, type Collection, type Edit, pairOf } from '../format/insertion.js';
import { removeItems, replaceValue } from '../format/removal.js';
import { yamlOptions } from '../format/yaml.js';
import { yamlFlow } from '../format/yaml-text.js';
import { type AddedItems, addItems } from './add-to-file.js';
import { textOfStatement } from './item-differences.js';

type Patterns = Pick<Statement, 'effect' | 'actions' | 'resources'>;

const lists = ['actions', 'resources'] as const;

/** True if each question that `inner` matches is matched by `outer`, as far as single patterns tell. */
const holds = (outer: Patterns, inner: Patterns): boolean =>
  outer.effect === inner.effect &&
  lists.every((list) =>
    inner[list].every((text) => outer[list].some((pattern) => covers(parseSegments(pattern), parseSegments(text)))),
  );

/** Edits items where they stand in the text of a file. Everything else stays as it is, comments included. */
export class FileEditor {
  readonly #bom: string;
  readonly #text: string;
  readonly #document: Document.Parsed;
  readonly #root: YAMLMap | undefined;
  readonly #edits: Edit[] = [];
  /** Writes a value on one line, as JSON or YAML. */
  readonly #write: (value: unknown) => string;

  constructor(source: string) {
    this.#bom = source.startsWith('\ufeff') ? '\ufeff' : '';
    this.#text = source.slice(this.#bom.length);
    this.#document = parseDocument(this.#text, { ...yamlOptions, keepSourceTokens: true });
    const { contents } = this.#document;
    this.#root = isMap(contents) ? contents : undefined;
    this.#write = this.#root?.flow ? (value) => jsonText(value) : yamlFlow;
  }

  /** The text with all edits. */
  get text(): string {
    return this.#bom + applyEdits(this.#text, this.#edits);
  }

  /** Removes items of a section, by their names or indexes. */
  remove(section: string, keys: ReadonlySet<string | number>): void {
    const pair = pairOf(this.#root, section);
    const { value } = pair ?? {};
    if (!pair || (!isMap(value) && !isSeq(value))) return;
    const keyOf = (item: unknown, i: number) => (isMap(value) ? (item as Pair<{ value: string }>).key.value : i);
    const removed = [...value.items.entries()].flatMap(([i, item]) => (keys.has(keyOf(item, i)) ? i : []));
    this.#edits.push(...removeItems(this.#text, pair, new Set(removed)));
  }

  /** Sets the statements of a policy. Statements that are narrowed keep their descriptions. */
  setPolicy(name: string, policy: Policy): void {
    this.#setPolicy(pairOf(this.#section('policies'), name), policy);
  }

  /**
   * Sets the policies of a role, and its scope.
   * @param scope a policy, the name or the short form of one, or null; undefined leaves it as it is.
   */
  setRole(name: string, policies: readonly string[], scope?: unknown): void {
    const roles = this.#section('roles');
    const role = pairOf(roles, name)?.value;
    this.#setList(pairOf(role, 'policies'), role, policies);
    if (scope === undefined) return;
    const pair = pairOf(role, 'scope');
    if (pair) this.#setScope(pair, scope);
    else if (isMap(role) && isMap(roles)) this.#add(role, roles, { scope });
  }

  /** Sets the scope of a binding, which is a policy, or the name or the short form of one. */
  setScope(section: string, index: number, scope: unknown): void {
    const list = this.#section(section);
    this.#setScope(pairOf(isSeq(list) ? list.items[index] : undefined, 'scope'), scope);
  }

  #setScope(pair: Pair | undefined, scope: unknown): void {
    if (typeof scope === 'object' && scope !== null && 'statements' in scope) this.#setPolicy(pair, scope as Policy);
    else this.#replace(pair, scope);
  }

  /** Adds names to the patterns that `manage` has of a kind. */
  own(kind: string, names: readonly string[]): void {
    const owned = this.#section('manage');
    // A file owns bindings by their roles.
    const [manage, list] = kind === 'bindings' ? [pairOf(owned, kind)?.value, 'roles'] : [owned, kind];
    const { value } = pairOf(manage, list) ?? {};
    const patterns = isSeq(value) ? value.items.map((item) => (isScalar(item) ? `${item.value}` : '')) : [];
    this.#setList(pairOf(manage, list), manage, [...patterns, ...names]);
  }

  #section(name: string): unknown {
    return pairOf(this.#root, name)?.value;
  }

  #replace(pair: Pair | undefined, value: unknown): void {
    if (pair) this.#edits.push(...replaceValue(this.#text, pair, this.#write(value)));
  }

  #setPolicy(pair: Pair | undefined, policy: Policy): void {
    const statements = pairOf(pair?.value, 'statements');
    if (statements) this.#setStatements(statements, pair?.value, policy.statements);
    else this.#replace(pair, policy);
  }

  /** Keeps equal statements, narrows each of the others to one that it holds, and removes or adds the rest. */
  #setStatements(pair: Pair, parent: unknown, wanted: readonly Statement[]): void {
    const { value } = pair;
    if (!isSeq(value) || !value.items.every((item) => isMap(item) || isAlias(item)) || !isMap(parent)) {
      this.#replace(pair, wanted);
      return;
    }
    // The cast: the file was checked.
    const before = value.toJS(this.#document) as readonly Statement[];
    const texts = before.map(textOfStatement);
    const used = new Set<number>();
    const isFree = (i: number) => !used.has(i);
    const open = wanted.filter((statement) => {
      const index = texts.findIndex((text, i) => isFree(i) && text === textOfStatement(statement));
      if (index >= 0) used.add(index);
      return index < 0;
    });
    const added = open.filter((statement) => {
      const index = before.findIndex((wide, i) => isFree(i) && isMap(value.items[i]) && holds(wide, statement));
      if (index < 0) return true;
      used.add(index);
      for (const list of lists) this.#setList(pairOf(value.items[index], list), value.items[index], statement[list]);
      return false;
    });
    if (used.size === 0) {
      this.#replace(pair, wanted);
      return;
    }
    const removed = new Set([...before.keys()].filter(isFree));
    this.#edits.push(...removeItems(this.#text, pair, removed));
    this.#add(value, parent, added);
  }

  /** Makes a list of names hold these and no others. */
  #setList(pair: Pair | undefined, parent: unknown, wanted: readonly string[]): void {
    const value = pair?.value;
    const items = isSeq(value) ? value.items : [];
    const had = items.map((item) => (isScalar(item) ? item.value : undefined));
    const removed = new Set([...had.keys()].filter((i) => !wanted.some((name) => name === had[i])));
    const added = [...new Set(wanted)].filter((name) => !had.includes(name));
    if (pair && isSeq(value) && isMap(parent) && removed.size < had.length) {
      this.#edits.push(...removeItems(this.#text, pair, removed));
      this.#add(value, parent, added);
    } else this.#replace(pair, wanted);
  }

  #add(value: Collection, parent: YAMLMap, items: AddedItems): void {
    if (Object.keys(items).length === 0 || !this.#root) return;
    this.#edits.push(...addItems(this.#text, { root: this.#root, parent, value }, items, 1));
  }
}
