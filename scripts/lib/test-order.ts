import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { root } from './exec.ts';

/** The test files that take longest, in `npm test` or in `npm run check`: a long file that began last would run alone. */
export const longestTests: readonly string[] = [
  'test/mock/services/random-groups.test.ts',
  'test/tools/command/record/matrix.test.ts',
  'test/tools/conformance/answers.test.ts',
  'test/workflows.test.ts',
  'test/tools/command/day/year.test.ts',
  'test/tools/command/record/examples.test.ts',
  'test/enforce/replica/walks.test.ts',
  'test/tools/command/connect.test.ts',
  'test/tools/conformance/mutants.test.ts',
  'test/client/stream/resume.test.ts',
  'test/policy/analysis/groups.test.ts',
  'test/client/openapi/called-documents.test.ts',
  'test/enforce/guard/frameworks.test.ts',
  'test/readme.test.ts',
  'test/first-page.test.ts',
];

/**
 * Sorts test files in an order that looks random and follows from the seed alone, after those that take longest, which
 * are in such an order, too.
 */
export function orderTests(files: readonly string[], seed: number): string[] {
  const place = (file: string) =>
    (longestTests.includes(file) ? '0' : '1') + createHash('sha256').update(`${seed} ${file}`).digest('hex');
  const placed = [...new Set(files)].map((file) => [place(file), file] as const);
  return placed.sort(([before], [after]) => (before < after ? -1 : 1)).map(([, file]) => file);
}

/** The order of test files for Vitest, whose `--sequence.seed` takes the seed that this prints. */
export class TestOrder extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const fileOf = ({ moduleId }: TestSpecification) => relative(root, moduleId);
    const { seed } = this.ctx.config.sequence;
    this.ctx.logger.log(`Running tests with seed "${seed}"`);
    const files = orderTests(specifications.map(fileOf), seed);
    const ranks = new Map(files.map((file, rank) => [file, rank]));
    const rank = (specification: TestSpecification) => ranks.get(fileOf(specification)) ?? 0;
    return specifications.toSorted((before, after) => rank(before) - rank(after));
  }
}
