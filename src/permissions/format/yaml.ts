import {
  type Alias,
  Composer,
  type CST,
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { IssuePath } from '../../base/lib/text/paths.js';
import type { PermissionsIssue } from '../model/permissions-error.js';
import { mostBytes, toText } from './file-text.js';

/** The offsets of a key (or an item of a list) and of its value. */
type Offsets = readonly [key: number, value: number];

/** The content of a file as plain values, with the place of each. The objects have no prototype. */
export interface ParsedFile {
  readonly file: string;
  readonly value: unknown;
  readonly issues: readonly PermissionsIssue[];
  /** Creates an issue at the value of a path, or with `atKey` at the last key of the path. */
  issueAt(path: IssuePath, message: string, atKey?: boolean): PermissionsIssue;
}

const mostAliases = 100;
/** The maximum number of values that aliases may add. */
const mostAliased = 100_000;
const mostIssues = 100;
const deepest = 100;
/** The number of tokens after which keys are first searched for duplicates. */
const firstLook = 10_000;

const isTwice = (key: string): string => `the key ${JSON.stringify(key)} is there twice`;

/** Converts nodes to plain values and records their places. */
class Converter {
  readonly places = new WeakMap<object, Map<string | number, Offsets>>();
  readonly issues: { readonly offset: number; readonly message: string }[] = [];
  readonly #anchors = new Map<string, Node>();
  readonly #targets = new Map<Alias, Node | undefined>();
  readonly #open = new Set<Node>();
  #aliases = 0;
  #aliased = 0;

  report(node: Node | number, message: string): undefined {
    const offset = typeof node === 'number' ? node : offsetOf(node);
    if (this.issues.length < mostIssues) this.issues.push({ offset, message });
  }

  /** Converts one document. Each document has its own anchors. */
  convertDocument(node: unknown): unknown {
    this.#anchors.clear();
    return this.#convert(node, false);
  }

  #convert(parsed: unknown, inAlias: boolean): unknown {
    if (parsed === null || parsed === undefined) return null;
    // The cast: a parsed document contains only nodes.
    const node = parsed as Node;
    if (isAlias(node)) return this.#resolve(node, inAlias);
    if (inAlias && ++this.#aliased > mostAliased) {
      if (this.#aliased === mostAliased + 1) this.report(node, `aliases expand to more than ${mostAliased} values`);
      return undefined;
    }
    if ('tag' in node && node.tag) return this.report(node, 'tags are not accepted');
    if (this.#open.has(node)) return this.report(node, 'contains itself');
    if (!inAlias && 'anchor' in node && node.anchor) this.#anchors.set(node.anchor, node);
    if (isScalar(node)) return node.value;
    this.#open.add(node);
    const value = isMap(node) ? this.#map(node, inAlias) : isSeq(node) ? this.#list(node, inAlias) : undefined;
    this.#open.delete(node);
    return value;
  }

  #resolve(alias: Alias, inAlias: boolean): unknown {
    if (!inAlias && ++this.#aliases > mostAliases) {
      return this.#aliases === mostAliases + 1
        ? this.report(alias, `the file has more than ${mostAliases} aliases`)
        : undefined;
    }
    // Aliases first occur in the order of the file; later visits come through other aliases.
    if (!inAlias) this.#targets.set(alias, this.#anchors.get(alias.source));
    const target = this.#targets.get(alias);
    if (target === undefined) return this.report(alias, 'names an anchor that is not defined before it');
    return this.#convert(target, true);
  }

  #map({ items }: YAMLMap, inAlias: boolean): object {
    const value = Object.create(null) as Record<string, unknown>;
    const places = new Map<string | number, Offsets>();
    for (const pair of items) {
      if (!isPair(pair)) continue;
      // The casts: a parsed document contains only nodes.
      const [key, content] = [pair.key as Node | null, pair.value as Node | null];
      const name = isScalar(key) ? key.value : undefined;
      const at = key ? offsetOf(key) : 0;
      if (!isScalar(key) || typeof name !== 'string') this.report(at, 'keys must be text; quote it');
      else if (key.tag) this.report(key, 'tags are not accepted');
      else if (name === '<<' && key.type === 'PLAIN')
        this.report(key, 'merge keys are not accepted; repeat the fields');
      else if (places.has(name)) this.report(key, isTwice(name));
      else {
        places.set(name, [at, content ? offsetOf(content) : at]);
        value[name] = this.#convert(content, inAlias);
      }
    }
    this.places.set(value, places);
    return value;
  }

  #list({ items }: YAMLSeq, inAlias: boolean): unknown[] {
    const places = new Map<string | number, Offsets>();
    const value = items.map((item, index) => {
      // The cast: a parsed document contains only nodes.
      const at = item ? offsetOf(item as Node) : 0;
      places.set(index, [at, at]);
      return this.#convert(item, inAlias);
    });
    this.places.set(value, places);
    return value;
  }
}

const offsetOf = (node: Node): number => node.range?.[0] ?? 0;

/** YAML 1.2, core schema, without tags and merge keys. */
export const yamlOptions = {
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  // The converter finds duplicate keys in linear time.
  uniqueKeys: false,
  logLevel: 'silent',
} as const;

const isText = (token: CST.Token): token is CST.FlowScalar =>
  token.type === 'scalar' || token.type === 'double-quoted-scalar' || token.type === 'single-quoted-scalar';

/** Finds keys that occur twice in one map with the same notation; at most as many as are reported. */
function findTwice(tokens: readonly CST.Token[]): readonly CST.FlowScalar[] {
  const duplicates: CST.FlowScalar[] = [];
  const open = [...tokens];
  for (let next = open.pop(); next && duplicates.length < mostIssues; next = open.pop()) {
    if (next.type === 'document' && next.value) open.push(next.value);
    if (!('items' in next)) continue;
    const isMap = next.type === 'block-map' || (next.type === 'flow-collection' && next.start.source === '{');
    const keys = new Set<string>();
    for (const { key, value } of next.items as readonly { key?: CST.Token | null; value?: CST.Token }[]) {
      if (value) open.push(value);
      if (!isMap || !key || !isText(key)) continue;
      if (keys.has(key.source)) duplicates.push(key);
      keys.add(key.source);
    }
  }
  return duplicates.length < mostIssues ? [] : duplicates.sort((a, b) => a.offset - b.offset).slice(0, mostIssues);
}

/**
 * Parses tokens and checks for duplicate keys from time to time: a file with very many duplicates is refused before the
 * rest is parsed, which could take seconds.
 */
function parseTokens(text: string, lines: LineCounter): CST.Token[] | { readonly twice: readonly CST.FlowScalar[] } {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  const tokens: CST.Token[] = [];
  let [count, look] = [0, firstLook];
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    if (++count < look) continue;
    look *= 4;
    const twice = findTwice([...tokens, ...parser.stack]);
    if (twice.length > 0) return { twice };
  }
  return [...tokens, ...parser.end()];
}

/** The offset of the first token that is nested too deeply: composing it could overflow the stack. */
function findTooDeep(tokens: readonly CST.Token[]): number | undefined {
  const open: (readonly [token: CST.Token, depth: number])[] = tokens.map((token) => [token, 0]);
  for (let next = open.pop(); next; next = open.pop()) {
    const [token, depth] = next;
    if (depth > deepest) return token.offset;
    if (token.type === 'document' && token.value) open.push([token.value, depth]);
    if (!('items' in token)) continue;
    for (const { key, value } of token.items as readonly { key?: CST.Token | null; value?: CST.Token }[]) {
      if (key) open.push([key, depth + 1]);
      if (value) open.push([value, depth + 1]);
    }
  }
  return undefined;
}

/** The offsets and messages of the issues for which a text is refused. */
type Refusal = { readonly refused: readonly (readonly [offset: number, message: string])[] };

/** Removes quotations from an issue's message: a file may contain secrets. */
const withoutQuote = (message: string): string => message.split(': "', 1)[0] ?? '';

/** Composes the documents of a text. */
function composeDocuments(text: string, lines: LineCounter): readonly Document.Parsed[] | Refusal {
  const tokens = parseTokens(text, lines);
  if ('twice' in tokens) {
    const unquoted = (source: string) => source.replace(/^(['"])(.*)\1$/s, '$2');
    return { refused: tokens.twice.map(({ offset, source }) => [offset, isTwice(unquoted(source))]) };
  }
  const tooDeep = findTooDeep(tokens);
  if (tooDeep !== undefined) return { refused: [[tooDeep, `is nested deeper than ${deepest} levels`]] };
  const documents = [...new Composer(yamlOptions).compose(tokens)];
  const errors = documents.flatMap((document) => document.errors);
  if (errors.length > 0) {
    return { refused: errors.slice(0, mostIssues).map(({ pos, message }) => [pos[0], withoutQuote(message)]) };
  }
  const isOld = documents.some(({ directives }) => directives?.yaml.version === '1.1');
  return isOld ? { refused: [[0, 'is YAML 1.1; version 1.2 is accepted']] } : documents;
}

/**
 * Parses a file: YAML 1.2, core schema, without tags and merge keys. This includes JSON. Never throws. A file may hold
 * several documents only if `oneOfMany` accepts each of them; empty documents are skipped.
 */
export function parseDocuments(
  file: string,
  content: string | Uint8Array,
  oneOfMany: (value: unknown) => boolean,
): readonly [ParsedFile, ...ParsedFile[]] {
  const lines = new LineCounter();
  const issue = (offset: number, message: string): PermissionsIssue => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1), message };
  };
  const failed = (...issues: PermissionsIssue[]): readonly [ParsedFile] => [
    { file, value: undefined, issues, issueAt: (_, message) => issue(0, message) },
  ];
  const size = typeof content === 'string' ? content.length : content.byteLength;
  if (size > mostBytes) return failed(issue(0, `holds more than ${mostBytes / 1_000_000} MB`));
  const text = toText(content)?.replace(/^\ufeff/, '');
  if (text === undefined) return failed(issue(0, 'is not valid UTF-8'));
  const documents = composeDocuments(text, lines);
  if ('refused' in documents) return failed(...documents.refused.map(([offset, message]) => issue(offset, message)));
  const converter = new Converter();
  const values = documents.map(({ contents }) => converter.convertDocument(contents));
  const issues = converter.issues.map(({ offset, message }) => issue(offset, message));
  const parsed = documents.map(({ contents }, i): ParsedFile => {
    const value = values[i];
    return {
      file,
      value,
      issues,
      issueAt(path, message, atKey = false) {
        let [at, offset]: [unknown, number] = [value, contents ? offsetOf(contents) : 0];
        for (const [depth, step] of path.entries()) {
          const offsets = typeof at === 'object' && at !== null ? converter.places.get(at)?.get(step) : undefined;
          if (offsets === undefined) break;
          offset = atKey && depth === path.length - 1 ? offsets[0] : offsets[1];
          at = (at as Record<string | number, unknown>)[step];
        }
        return issue(offset, message);
      },
    };
  });
  const [first, second] = parsed;
  if (first === undefined) return failed();
  if (second === undefined) return [first];
  const [document, ...more] = parsed.filter(({ value }) => value !== null);
  if (document === undefined || ![document, ...more].every(({ value }) => oneOfMany(value))) {
    return failed(issue(documents[1]?.range[0] ?? 0, 'holds more than one document'));
  }
  return issues.length > 0 ? failed(...issues) : [document, ...more];
}

/** Parses a file that holds one document, as `parseDocuments` does. */
export const parseFile = (file: string, content: string | Uint8Array): ParsedFile =>
  parseDocuments(file, content, () => false)[0];
