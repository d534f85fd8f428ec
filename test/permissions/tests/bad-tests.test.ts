import { expect, test } from 'vitest';
import { type PermissionTests, runTests } from '../../../src/permissions/index.ts';

const state = { policies: new Map(), roles: new Map(), bindings: [], users: 'all' } as const;
const tests: PermissionTests = { file: 'permissions.test.yaml', given: [], expect: [], nobody: [] };

test('runTests refuses a file of tests that lacks one of its lists, and names its index', () => {
  for (const missing of ['given', 'expect', 'nobody']) {
    // The casts: a caller without types.
    const given = [tests, { ...tests, [missing]: undefined }] as never;
    expect(() => runTests(state, given)).toThrow('files[1]: expected what readTests returns, got an object');
  }
  expect(() => runTests(state, tests as never)).toThrow('files: expected a list, got an object');
  expect(runTests(state, [tests]).passed).toBe(true);
});
