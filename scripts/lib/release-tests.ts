/**
 * Test files that a release needs and a pull request does not: whole walks in processes, compilers, worst cases and
 * long lives, each of 4 to 16 s of CPU time. `npm run check`, and so the CI, runs them; `npm test` does if it is given a
 * name of files. What they prove has smaller tests beside them.
 */
export const releaseTests: readonly string[] = [
  'test/client/failover/cluster.test.ts',
  'test/client/openapi/compiler.test.ts',
  'test/client/openapi/messages.test.ts',
  'test/enforce/guard/spellings.test.ts',
  'test/enforce/replica/lives.test.ts',
  'test/enforce/replica/long-run.test.ts',
  'test/enforce/replica/write-then-check.test.ts',
  'test/engine-entries.test.ts',
  'test/permissions/plan/every-order.test.ts',
  'test/policy/analysis/bounds.test.ts',
  'test/policy/analysis/log/rehearse-mock.test.ts',
  'test/policy/analysis/sharing.test.ts',
  'test/policy/evaluate/memory.test.ts',
  'test/tools/command/admin.test.ts',
  'test/tools/command/apply-histories.test.ts',
  'test/tools/command/day/day.test.ts',
  'test/tools/command/enforce-guide.test.ts',
  'test/tools/command/lockout.test.ts',
  'test/tools/command/mock/beside.test.ts',
  'test/tools/command/record/attacks.test.ts',
  'test/tools/command/record/canaries.test.ts',
  'test/tools/command/rehearse-process.test.ts',
  'test/tools/command/shell.test.ts',
  'test/tools/command/terminal.test.ts',
  'test/tools/conformance/hostile.test.ts',
  'test/tools/conformance/mutants.test.ts',
  'test/tools/conformance/report.test.ts',
  'test/tools/conformance/writing.test.ts',
];
