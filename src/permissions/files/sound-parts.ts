import { nearest } from '../../lib/nearest.js';
import type { Path } from '../../lib/reading.js';
import { isObject } from '../../lib/values.js';

/** The content of a checked file. */
export type Raw = Readonly<Record<string, unknown>>;

/** Stand-ins for items with an issue, so that their names stay known. */
const standIns: Readonly<Record<string, object>> = {
  scopes: { statements: [] },
  policies: { statements: [] },
  roles: { policies: [] },
};
const sections = ['include', 'scopes', 'policies', 'roles', 'bindings', 'manage'];

/** The parts of a file that can be checked further. */
interface SoundParts {
  readonly raw: Raw;
  /** False if names of the file are not known. */
  readonly isComplete: boolean;
}

function soundItems(section: string, value: unknown, paths: readonly Path[]): unknown {
  const wrong = new Set(paths.map(([, key]) => key));
  // Undefined in a list, so that the others keep their index.
  if (Array.isArray(value)) return value.map((item, index) => (wrong.has(index) ? undefined : item));
  const items = Object.entries(Object(value)).map(([key, item]) => [key, wrong.has(key) ? standIns[section] : item]);
  return Object.fromEntries(items.filter(([, item]) => item !== undefined));
}

/**
 * Finds the parts of a file without an issue, so that further issues are reported at the same time. A section with a
 * misspelt name counts for the names in it.
 * @param paths the places of the issues.
 */
export function soundParts(value: unknown, paths: readonly Path[]): SoundParts {
  if (!isObject(value)) return { raw: {}, isComplete: value === null };
  if (paths.length === 0) return { raw: value, isComplete: true };
  const raw: Record<string, unknown> = {};
  let isComplete = true;
  for (const [key, content] of Object.entries(value)) {
    const faulty = paths.filter(([first]) => first === key);
    const section = sections.find((one) => one === key) ?? nearest(key, sections);
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
