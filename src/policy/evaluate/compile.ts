import type { Issue, Policy, Role } from '../model/model.js';
import { Pattern } from '../model/pattern.js';

/** Longer patterns are not shared. */
const longestPattern = 256;
/** The number of patterns that are shared. */
const mostPatterns = 4096;

/** Matches resources against one or more patterns. */
type Matcher = { readonly any: boolean; matches(text: string): boolean };

/** Two or more patterns. Those without wildcards are looked up in a set, so a long list is as fast as one text. */
class Union implements Matcher {
  readonly any = false;
  readonly #exact: ReadonlySet<string>;
  readonly #rest: readonly Pattern[];

  constructor(patterns: readonly Pattern[]) {
    this.#exact = new Set(patterns.flatMap((pattern) => pattern.exact ?? []));
    this.#rest = patterns.filter((pattern) => pattern.exact === undefined);
  }

  matches(text: string): boolean {
    for (const pattern of this.#rest) if (pattern.matches(text)) return true;
    return this.#exact.size > 0 && this.#exact.has(text);
  }
}

/** The resources that policies allow and deny for one action; undefined if there are none. */
export interface ActionNode {
  readonly allow: Matcher | undefined;
  readonly deny?: Matcher | undefined;
  /** The number of patterns, for the estimated memory. */
  readonly patterns: number;
}

const nothing: ActionNode = { allow: undefined, patterns: 0 };

/** Allows no resource. */
const nowhere: Matcher = { any: false, matches: () => false };

type CompiledStatement = { readonly allow: boolean; readonly resources: readonly Pattern[] };

function toMatcher(statements: readonly CompiledStatement[], allow: boolean): Matcher | undefined {
  const patterns = statements.flatMap((statement) => (statement.allow === allow ? statement.resources : []));
  if (patterns.length < 2) return patterns[0];
  return patterns.find((pattern) => pattern.any) ?? new Union(patterns);
}

function toNode(statements: readonly CompiledStatement[]): ActionNode {
  if (statements.length === 0) return nothing;
  const patterns = statements.reduce((sum, { resources }) => sum + resources.length, 0);
  return { allow: toMatcher(statements, true), deny: toMatcher(statements, false), patterns };
}

/** Parses a pattern, or takes it from those known: few objects stay in the processor's caches where many would not. */
function toPattern(text: string, patterns: Map<string, Pattern> = new Map()): Pattern {
  const pattern = patterns.get(text) ?? new Pattern(text);
  if (patterns.size > mostPatterns) patterns.clear();
  if (text.length < longestPattern) patterns.set(text, pattern);
  return pattern;
}

/** The scope of a binding, or the intersection of several. */
export interface Scope {
  /** Compiles the scope for an action (never an empty one). */
  node(action: string): ActionNode;
}

/** A policy or scope: a copy of its source, parsed lazily. It never changes, so clones share it. */
export class PolicyNode implements Scope {
  declare readonly source: Policy;
  /** The issues because of which it is skipped (sidecar fidelity only); empty for a valid policy. */
  declare readonly faults: readonly Issue[];
  /** Statements by exact action; those with wildcards are kept separately. */
  #exact: Map<string, CompiledStatement[]> | undefined;
  #wild: [action: Pattern, CompiledStatement][] | undefined;
  /** If every statement applies to all actions, as in most scopes, one node serves all actions. */
  #uniform: ActionNode | undefined;

  constructor(source: Policy, faults: readonly Issue[]) {
    this.source = source;
    this.faults = faults;
  }

  /** Compiles this policy for an action (never an empty one). */
  node(action: string): ActionNode {
    this.#wild ??= this.#index();
    return this.#uniform ?? compileNode([this], action);
  }

  /** Adds the statements that match an action. */
  collect(action: string, statements: CompiledStatement[], patterns?: Map<string, Pattern>): void {
    this.#wild ??= this.#index(patterns);
    for (const statement of this.#exact?.get(action) ?? []) statements.push(statement);
    for (const [pattern, statement] of this.#wild) if (pattern.matches(action)) statements.push(statement);
  }

  #index(patterns?: Map<string, Pattern>): [Pattern, CompiledStatement][] {
    const wild: [Pattern, CompiledStatement][] = [];
    for (const { effect, actions, resources } of this.source.statements) {
      const statement = { allow: effect === 'Allow', resources: resources.map((text) => toPattern(text, patterns)) };
      for (const text of actions) {
        const pattern = new Pattern(text);
        if (pattern.exact === undefined) wild.push([pattern, statement]);
        else {
          this.#exact ??= new Map();
          if (!this.#exact.get(text)?.push(statement)) this.#exact.set(text, [statement]);
        }
      }
    }
    if (this.#exact === undefined && wild.every(([pattern]) => pattern.any)) {
      this.#uniform = toNode(wild.map(([, statement]) => statement));
    }
    return wild;
  }
}

/** A binding compiled for one action, which tests resources; linked to the next one. */
export class Grant {
  /** False once the role or one of its policies has changed. */
  declare isFresh: boolean;
  declare next: Grant | null;
  declare allow: Matcher | undefined;
  declare scope: Matcher | undefined;
  declare deny: Matcher | undefined;
  declare scopeDeny: Matcher | undefined;

  constructor(role: ActionNode, scope: ActionNode, next: Grant | null) {
    this.isFresh = true;
    this.next = next;
    this.allow = role.allow?.any ? undefined : role.allow;
    this.scope = scope.allow?.any ? undefined : scope.allow;
    this.deny = role.deny;
    this.scopeDeny = scope.deny;
  }

  /** A grant of nothing. */
  static nothing(): Grant {
    return new Grant({ ...nothing, allow: nowhere }, nothing, null);
  }

  /** Returns the grant of a role inside a scope (undefined: everywhere) before `next`; `next` if it allows nothing. */
  static of(action: string, role: ActionNode, scope: Scope | undefined, next: Grant | null): Grant | null {
    if (!role.allow || role.deny?.any) return next;
    if (!scope) return new Grant(role, nothing, next);
    const node = scope.node(action);
    return !node.allow || node.deny?.any ? next : new Grant(role, node, next);
  }

  /** Inside one binding an explicit Deny overrides any Allow, in the role's policies and in the scope. */
  allows(resource: string): boolean {
    const { allow, scope, deny, scopeDeny } = this;
    if (allow !== undefined && !allow.matches(resource)) return false;
    if (scope !== undefined && !scope.matches(resource)) return false;
    if (deny?.matches(resource)) return false;
    return !scopeDeny?.matches(resource);
  }
}

/** A role: a copy of its source. It never changes, so clones share it. */
export interface RoleNode {
  readonly source: Role;
  /** The role's own scope. */
  readonly scope: PolicyNode | undefined;
}

/** Compiles several policies for an action (never an empty one) as if they were one policy. */
export function compileNode(
  policies: readonly (PolicyNode | undefined)[],
  action: string,
  patterns?: Map<string, Pattern>,
): ActionNode {
  const statements: CompiledStatement[] = [];
  for (const policy of policies) policy?.collect(action, statements, patterns);
  return toNode(statements);
}
