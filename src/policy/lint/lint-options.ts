import { nearest } from '../../lib/nearest.js';
import { describeKind, isObject, isTexts } from '../../lib/values.js';
import { PolicyError } from '../model/validate.js';
import type { ActionCatalog } from './catalog.js';

const lintRules = [
  'invalid',
  'unparsable-pattern',
  'literal-star',
  'empty-statement',
  'missing-policy',
  'missing-role',
  'no-scope',
  'colon-in-user',
  'deceptive-name',
  'shared-binding',
  'same-binding-name',
  'two-scopes',
  'shadowed-allow',
  'deny-stays-inside',
  'unused-policy',
  'unused-role',
  'unknown-action',
  'unasked-resource',
  'unreached-action',
  'missing-action',
  'unscoped',
] as const;

/** The subject of a finding. The last five need a catalog. */
export type LintRule = (typeof lintRules)[number];

/** Options of `lint`. */
export interface LintOptions {
  /** The actions that services ask about, to find those that none does. */
  readonly catalog?: ActionCatalog | readonly ActionCatalog[] | undefined;
  /** Rules to leave out: `{ 'unused-role': 'off' }`. */
  readonly rules?: Readonly<Partial<Record<LintRule, 'on' | 'off'>>> | undefined;
}

const isText = (value: unknown) => typeof value === 'string';
const isListOf = (value: unknown, isItem: (item: Record<string, unknown>) => boolean) =>
  Array.isArray(value) && value.every((item) => isObject(item) && isItem(item));

const isCatalog = (value: unknown): value is ActionCatalog =>
  isObject(value) &&
  isListOf(value.actions, ({ action, resources }) => isText(action) && isTexts(resources)) &&
  (value.needs === undefined || isListOf(value.needs, ({ action, resource }) => isText(action) && isText(resource)));

const refuse = (path: readonly string[], message: string): never => {
  throw new PolicyError([{ path, message }]);
};

/** @throws PolicyError for an unknown rule, and for a value that is not a catalog. */
export function readLintOptions(options: LintOptions): {
  readonly catalogs: readonly ActionCatalog[];
  readonly off: ReadonlySet<string>;
} {
  if (!isObject(options)) refuse(['options'], `must be an object, got ${describeKind(options)}`);
  const { catalog = [], rules = {} } = options;
  if (!isObject(rules)) refuse(['rules'], `must be an object, got ${describeKind(rules)}`);
  const catalogs: readonly unknown[] = Array.isArray(catalog) ? catalog : [catalog];
  const off = new Set<string>();
  for (const [rule, value] of Object.entries(rules)) {
    if (!lintRules.some((known) => known === rule)) {
      const near = nearest(rule, lintRules);
      const hint = near ? `; the nearest is "${near}"` : '';
      refuse(['rules', rule], `must be one of ${lintRules.join(', ')}${hint}`);
    }
    if (value !== 'on' && value !== 'off') refuse(['rules', rule], 'must be "on" or "off"');
    if (value === 'off') off.add(rule);
  }
  const wrong = catalogs.find((one) => !isCatalog(one));
  if (wrong !== undefined) refuse(['catalog'], `must be a catalog or a list of catalogs, got ${describeKind(wrong)}`);
  return { catalogs: catalogs.filter(isCatalog), off };
}
