import { nearest } from '../../base/lib/nearest.js';
import type { IssuePath } from '../../base/lib/text/paths.js';
import { isObject } from '../../base/lib/values.js';

/** The content of a checked file. */
export type Raw = Readonly<Record<string, unknown>>;

/** Replacements for invalid items, so that their names stay known. */
const standIns: Readonly<Record<string, object>> = {
  scopes: { statements: [] },
  policies: { statements: [] },
  roles: { policies: [] },
};
const sections = ['include', 'scopes', 'policies', 'roles', 'bindings', 'groupBindings', 'manage', 'limits'];

/** The valid parts of a file. */
interface SoundParts {
  readonly raw: Raw;
  /** False if the file has names that could not be read. */
  readonly isComplete: boolean;
}

function soundItems(section: string, value: unknown, paths: readonly IssuePath[]): unknown {
  const wrong = new Set(paths.map(([, key]) => key));
  // Undefined keeps the indexes of the other list items.
  if (Array.isArray(value)) return value.map((item, index) => (wrong.has(index) ? undefined : item));
  const items = Object.entries(Object(value)).map(([key, item]) => [key, wrong.has(key) ? standIns[section] : item]);
  return Object.fromEntries(items.filter(([, item]) => item !== undefined));
}

/**
 * Returns the valid parts of a file, so that further checks can report their issues in the same run. If a section's
 * name is misspelt, the names of its items are still known.
 * @param paths the places of the issues.
 */
export function soundParts(value: unknown, paths: readonly IssuePath[]): SoundParts {
  if (!isObject(value)) return { raw: {}, isComplete: value === null };
  if (paths.length === 0) return { raw: value, isComplete: true };
  const raw: Record<string, unknown> = {};
  let isComplete = true;
  for (const [key, content] of Object.entries(value)) {
    const faulty = paths.filter(([first]) => first === key);
    const section = sections.find((section) => section === key) ?? nearest(key, sections);
    if (section === undefined) continue;
    if (section === 'include' || (faulty.some(({ length }) => length === 1) && !isObject(content)))
      isComplete &&= faulty.length === 0;
    else if (section === key) raw[key] = soundItems(key, content, faulty);
    else if (section in standIns && !Object.hasOwn(value, section)) {
      raw[section] = Object.fromEntries(Object.keys(content as object).map((name) => [name, standIns[section]]));
    }
  }
  return { raw, isComplete };
}
