import fc from 'fast-check';
import type { PermissionsState } from '../../../src/permissions/index.ts';
import type { Policy } from '../../../src/policy/index.ts';

// Texts that YAML reads in its own way, and states of them.

const traps = [
  ...['yes', 'no', 'on', 'off', 'y', 'N', 'null', 'Null', '~', 'true', 'False', '1', '0x1f', '0o7', '1e3', '.5', '-0'],
  ...['.inf', '-.Inf', '.nan', '2024-01-01', '12:30:45', '1_000', '+1', '=', '<<', '---', '...', '-', '?', ':', '- a'],
  ...['*', '*a', '&a', '!a', '!!str a', '%a', '@a', '`a', '|', '>', '|-', '#', ' #a', 'a #b', 'a: b', 'a:', ':a', '?a'],
  ...['[a', 'a]', '{a', 'a}', 'a,b', '"', "'", 'a"b', "a'b", '\\', 'a\\n', 'a\nb', '\n', '\r', '\t', ' a', 'a ', ' '],
  ...['\u0000', '\u0007', '\u007f', '\u0085', '\u00a0', '\u2028', '\u2029', '\ufeff', '\u202e', '\ufffe', 'ü', '日本'],
  ...['😀', '__proto__', 'constructor', 'toString', '$schema', 'scopes', 'everywhere', '{{a}}', 'a'.repeat(300)],
  ...['\u0001'.repeat(1_024), 'é'.repeat(1_024), '😀'.repeat(512)],
];

const text = fc.oneof(
  fc.constantFrom(...traps),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
  fc.tuple(fc.constantFrom(...traps), fc.constantFrom(...traps)).map((both) => both.join('')),
);

/** Names that the services can store. */
const nameArb = text.filter(
  (name) => !/(?:^|\\)\.{1,2}(?:\\|$)|[/\0]/.test(name) && name.length <= 1_024 && name.isWellFormed(),
);
const userArb = nameArb.filter((name) => !name.includes(':'));
const textArb = text.filter((one) => one.isWellFormed());

const patternArb = fc.oneof(
  fc.constantFrom('*', 'orders:*', 'orders:eu:*', 'a*', '*b'),
  textArb.map((one) => one.replaceAll('*', '')).filter((one) => one !== ''),
);
const actionArb = fc.oneof(
  fc.constant('*'),
  fc.tuple(textArb, textArb).map((both) => both.map((one) => one.replace(/[*:]/g, '') || 'x').join(':')),
);
const description = fc.option(textArb, { nil: undefined });
const statementArb = fc.record({
  effect: fc.constantFrom('Allow' as const, 'Deny' as const),
  actions: fc.array(actionArb, { maxLength: 3 }),
  resources: fc.array(patternArb, { maxLength: 3 }),
  description,
});
const policyArb: fc.Arbitrary<Policy> = fc.record({
  statements: fc.array(statementArb, { maxLength: 3 }),
  description,
});

const mapOf = <T>(value: fc.Arbitrary<T>) =>
  fc.uniqueArray(fc.tuple(nameArb, value), { maxLength: 4, selector: ([name]) => name }).map((all) => new Map(all));

/** States that a file can hold, whatever their names. Scopes are shared, as they are in practice. */
export const namedStateArb: fc.Arbitrary<PermissionsState> = fc
  .record({
    policies: mapOf(policyArb),
    scopes: fc.array(policyArb, { minLength: 1, maxLength: 3 }),
    roles: mapOf(fc.record({ places: fc.array(fc.nat(), { maxLength: 3 }), scope: fc.option(fc.nat()), description })),
    bindings: fc.array(fc.record({ user: userArb, role: nameArb, scope: fc.nat() }), { maxLength: 6 }),
  })
  .map(({ policies, scopes, roles, bindings }) => {
    const at = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;
    const names = [...policies.keys()];
    return {
      policies,
      roles: new Map(
        [...roles].map(([name, { places, scope, description: words }]) => [
          name,
          {
            policies: names.length === 0 ? [] : [...new Set(places.map((place) => at(names, place)))],
            scope: scope === null ? null : at(scopes, scope),
            description: words,
          },
        ]),
      ),
      bindings: [
        ...new Map(
          bindings.map((one) => [JSON.stringify([one.user, one.role]), { ...one, scope: at(scopes, one.scope) }]),
        ).values(),
      ],
      users: 'all' as const,
    };
  });
