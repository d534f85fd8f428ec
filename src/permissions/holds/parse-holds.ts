import { checkFile } from '../format/file-checks.js';
import { parseFile } from '../format/yaml.js';
import { type FilePlace, PermissionsError } from '../model/permissions-error.js';
import type { Hold } from './hold.js';
import { createHoldsFileSchema, type HoldsFile } from './hold-schema.js';

const holdsSchema = /* @__PURE__ */ createHoldsFileSchema();

/**
 * Parses a file of holds.
 * @throws PermissionsError (code `PERMISSIONS`) with all issues.
 */
export function parseHolds(file: string, content: string | Uint8Array): (Hold & FilePlace)[] {
  const parsed = parseFile(file, content);
  const { issues } = checkFile(parsed, holdsSchema);
  if (issues.length > 0) throw new PermissionsError(issues);
  // The cast: `checkFile` has validated the file.
  const { holds } = (parsed.value ?? {}) as HoldsFile;
  return (holds ?? []).map((hold, i) => {
    const { line, column } = parsed.issueAt(['holds', i], '');
    return { ...hold, file, line, column };
  });
}
