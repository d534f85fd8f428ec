import { byCodePoint } from '../../base/lib/code-points.js';
import { normalizePolicy, type Policy } from '../../policy/index.js';
import { compactPolicy, sortedUnique } from '../../policy/model/normalize.js';
import { requestOf, type ScopeRequest } from '../../policy/model/scope-forms.js';
import type { FileBinding, FileGroupBinding, FileRole, FileScope, ScopeContent } from '../format/file-schema.js';
import type { Writable } from '../model/writable.js';
import { scopeName } from './scope-name.js';

/** The sections of a file that hold items. */
export interface FileContent {
  readonly scopes: Readonly<Record<string, ScopeContent>>;
  readonly policies: Readonly<Record<string, Policy>>;
  readonly roles: Readonly<Record<string, FileRole>>;
  readonly bindings: readonly FileBinding[];
  readonly groupBindings: readonly FileGroupBinding[];
}

const policyOf = (policy: Policy): Policy => compactPolicy(normalizePolicy(policy));

/** The short form of a scope, like `{ database: shop }`; undefined if there is none or the scope allows everything. */
function shortOf(scope: Policy): ScopeRequest | undefined {
  const request = requestOf(scope);
  return request?.everything ? undefined : request;
}

/** Assigns names to scopes that occur more than once, and keeps existing names. */
class ScopeNames {
  readonly added: [name: string, Policy][] = [];
  readonly #names = new Map<string, string>();

  constructor(scopes: readonly Policy[], namedScopes: ReadonlyMap<string, Policy>) {
    for (const [name, scope] of namedScopes) this.#names.set(JSON.stringify(policyOf(scope)), name);
    const counts = new Map<string, number>();
    for (const scope of scopes) {
      if (shortOf(scope) !== undefined) continue;
      const text = JSON.stringify(policyOf(scope));
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    const taken = new Set(namedScopes.keys());
    for (const text of [...counts.keys()].sort(byCodePoint)) {
      if ((counts.get(text) ?? 0) < 2 || this.#names.has(text)) continue;
      // The cast: the text is a policy as JSON.
      const scope = JSON.parse(text) as Policy;
      const base = scopeName(scope);
      let name = base;
      for (let i = 2; taken.has(name); i++) name = `${base}-${i}`;
      taken.add(name);
      this.#names.set(text, name);
      this.added.push([name, scope]);
    }
    this.added.sort(([a], [b]) => byCodePoint(a, b));
  }

  scope(policy: Policy): FileScope {
    const content = policyOf(policy);
    return this.#names.get(JSON.stringify(content)) ?? shortOf(policy) ?? content;
  }
}

/** Returns a function that writes a scope: as the name of one of the known scopes, as a short form or as a policy. */
export function scopeWriter(namedScopes: ReadonlyMap<string, Policy>): (scope: Policy) => FileScope {
  const names = new ScopeNames([], namedScopes);
  return (scope) => names.scope(scope);
}

/** Arranges items in sections. Bindings and roles refer to the scopes in `namedScopes` by name. */
export function contentOf(
  { policies, roles, bindings }: Omit<Writable, 'omitted'>,
  namedScopes: ReadonlyMap<string, Policy> = new Map(),
): FileContent {
  const scopes = [...bindings.map(({ scope }) => scope), ...roles.flatMap(([, { scope }]) => scope ?? [])];
  const names = new ScopeNames(scopes, namedScopes);
  const written = bindings.map(({ scope, ...binding }) => ({ ...binding, scope: names.scope(scope) }));
  return {
    scopes: Object.fromEntries(names.added),
    policies: Object.fromEntries(policies.map(([name, policy]) => [name, policyOf(policy)])),
    roles: Object.fromEntries(
      roles.map(([name, { policies, scope, description }]) => [
        name,
        {
          policies: sortedUnique(policies),
          ...(scope && { scope: names.scope(scope) }),
          ...(description && { description }),
        },
      ]),
    ),
    bindings: written.filter((binding) => 'user' in binding),
    groupBindings: written.filter((binding) => 'group' in binding),
  };
}
