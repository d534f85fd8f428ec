import { oneOf, optionsOf, type Reader, type ReadersOf, refuseKind } from '../../base/lib/readers.js';
import { isObject, isTexts } from '../../base/lib/values.js';
import { readPolicyOptions } from '../model/validate.js';
import type { ActionCatalog } from './action-catalog.js';

const lintRules = [
  'invalid',
  'unparsable-pattern',
  'literal-star',
  'empty-statement',
  'missing-policy',
  'missing-role',
  'no-scope',
  'empty-role',
  'super-admin',
  'colon-in-user',
  'deceptive-name',
  'shared-binding',
  'same-binding-name',
  'two-scopes',
  'hides-group',
  'reaches-groups',
  'shadowed-allow',
  'deny-stays-inside',
  'needless-deny',
  'unused-policy',
  'unused-role',
  'unknown-action',
  'unasked-resource',
  'unreached-action',
  'missing-action',
  'unscoped',
] as const;

/** The rules of `lint`. The last five need a catalog. */
export type LintRule = (typeof lintRules)[number];

/** Options of `lint`. */
export interface LintOptions {
  /** The actions of services, to find actions in policies that no service uses. */
  readonly catalog?: ActionCatalog | readonly ActionCatalog[] | undefined;
  /** Rules to switch off: `{ 'unused-role': 'off' }`. */
  readonly rules?: Readonly<Partial<Record<LintRule, 'on' | 'off'>>> | undefined;
}

const isText = (value: unknown) => typeof value === 'string';
const isListOf = (value: unknown, isItem: (item: Record<string, unknown>) => boolean) =>
  Array.isArray(value) && value.every((item) => isObject(item) && isItem(item));

const isCatalog = (value: unknown): value is ActionCatalog =>
  isObject(value) &&
  isListOf(value.actions, ({ action, resources }) => isText(action) && isTexts(resources)) &&
  (value.needs === undefined || isListOf(value.needs, ({ action, resource }) => isText(action) && isText(resource)));

const readCatalogs: Reader<readonly ActionCatalog[]> = (value, reading) => {
  const all: readonly unknown[] = Array.isArray(value) ? value : [value];
  const wrong = all.find((item) => !isCatalog(item));
  if (wrong !== undefined) return refuseKind(reading, 'a catalog or a list of catalogs', wrong);
  return all.filter(isCatalog);
};

const readSwitch = oneOf('on', 'off');

export const readLintFields = optionsOf({
  catalog: readCatalogs,
  rules: optionsOf(Object.fromEntries(lintRules.map((rule) => [rule, readSwitch]))),
} satisfies ReadersOf<LintOptions>);

/** Reads the options of `lint`; throws PolicyError for an unknown rule or option, and a value that is not a catalog. */
export function readLintOptions(options: LintOptions): {
  readonly catalogs: readonly ActionCatalog[];
  readonly off: ReadonlySet<string>;
} {
  const value = readPolicyOptions(options, readLintFields);
  const off = Object.entries(value.rules ?? {}).flatMap(([rule, is]) => (is === 'off' ? rule : []));
  return { catalogs: value.catalog ?? [], off: new Set(off) };
}
