import { counted } from '../../base/lib/counted.js';
import type { Effect } from '../../policy/index.js';
import { userFault } from '../../policy/model/predefined-names.js';
import { checkFile } from '../format/file-checks.js';
import type { FileBinding } from '../format/file-schema.js';
import { type ParsedFile, parseFile } from '../format/yaml.js';
import { type FilePlace, PermissionsError, type PermissionsIssue } from '../model/permissions-error.js';
import {
  createTestsFileSchema,
  type TestsFile,
  type TestsFileExpectation,
  type TestsFileNobody,
} from './test-schema.js';

/** The tests of a file, each with its place. */
export interface PermissionTests {
  readonly file: string;
  /** The place of `fresh: true`: the tests add what a new deployment holds. */
  readonly fresh?: FilePlace | undefined;
  /** Bindings that the tests of this file add. */
  readonly given: readonly (FileBinding & FilePlace)[];
  /** Questions, including those of tables. */
  readonly expect: readonly (TestsFileExpectation & FilePlace)[];
  /** Access that no user may have. */
  readonly nobody: readonly (TestsFileNobody & FilePlace)[];
}

const testsSchema = /* @__PURE__ */ createTestsFileSchema();

/** Collects the tests of a checked file, and reports problems that concern several parts of it. */
function collect(parsed: ParsedFile, issues: PermissionsIssue[]): PermissionTests {
  const place = (...path: (string | number)[]): FilePlace => {
    const { file, line, column } = parsed.issueAt(path, '');
    return { file, line, column };
  };
  // The cast: `checkFile` has validated the file.
  const { fresh, given = [], expect = [], tables = [], nobody = [] } = (parsed.value ?? {}) as TestsFile;
  for (const [i, { user, scope }] of given.entries()) {
    const fault = userFault(user);
    if (fault !== undefined) issues.push(parsed.issueAt(['given', i, 'user'], fault));
    if (scope === null) issues.push(parsed.issueAt(['given', i, 'scope'], 'a binding needs a scope'));
  }
  const cells = tables.flatMap(({ resource, actions, users, because }, i) =>
    Object.entries(users).flatMap(([user, effects]) => {
      if (effects.length !== actions.length) {
        const message = `has ${counted(effects.length, 'decision')} for ${counted(actions.length, 'action')}`;
        issues.push(parsed.issueAt(['tables', i, 'users', user], message));
      }
      return actions.map((action, j) => {
        // The cast: a row that is too short was reported above.
        const effect = effects[j] as Effect;
        return { user, action, resource, effect, because, ...place('tables', i, 'users', user, j) };
      });
    }),
  );
  if (expect.length + cells.length + nobody.length === 0) {
    issues.push(parsed.issueAt([], 'tests nothing: expected entries of `expect`, `tables` or `nobody`'));
  }
  return {
    file: parsed.file,
    ...(fresh && { fresh: place('fresh') }),
    given: given.map((binding, i) => ({ ...binding, ...place('given', i) })),
    expect: [...expect.map((question, i) => ({ ...question, ...place('expect', i) })), ...cells],
    nobody: nobody.map((question, i) => ({ ...question, ...place('nobody', i) })),
  };
}

/**
 * Parses the tests of a file.
 * @throws PermissionsError (code `PERMISSIONS`) with all issues.
 */
export function parseTests(file: string, content: string | Uint8Array): PermissionTests {
  const parsed = parseFile(file, content);
  const issues = [...checkFile(parsed, testsSchema).issues];
  const tests = issues.length === 0 ? collect(parsed, issues) : undefined;
  if (tests === undefined || issues.length > 0) throw new PermissionsError(issues);
  return tests;
}
