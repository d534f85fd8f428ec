import { exec } from './exec.ts';

/** Programs that end with an uncaught error, thrown in files of their own, now and in a later turn. */
const programs = {
  'createClient({ url })': `const { createClient } = await import('arango-services'); createClient({ url: 1 });`,
  'a call': `
    const { createClient } = await import('arango-services');
    await createClient({ url: 'http://127.0.0.1:1' }).route('x').get();`,
  'createMock(config)': `const { createMock } = await import('arango-services/mock'); await createMock({ users: 1 });`,
  'createEvaluator(state)': `
    const { createEvaluator } = await import('arango-services/policy');
    createEvaluator({ policies: { p: { statements: 1 } } });`,
  'events of a broken line': `
    const { readLines } = await import('arango-services/stream');
    const { body } = new Response('x'.repeat(3_000_000));
    for await (const line of readLines(body)) void line;`,
  'readPermissions(text)': `
    const { readPermissions } = await import('arango-services/permissions');
    await readPermissions({ 'a.yaml': 'roles: 7' });`,
};

/** The longest line of an error's output that a terminal shows at a glance. */
const longest = 500;

/** Runs programs that throw, in a folder where the package is found: each prints its error in lines that can be read. */
export async function findUncaughtFaults(folder: string): Promise<string[]> {
  const faults = await Promise.all(
    Object.entries(programs).map(async ([name, program]) => {
      const result = await exec(process.execPath, ['--input-type=module', '--eval', program], { cwd: folder });
      const line = result.output.split('\n').find((one) => one.length > longest);
      if (result.ok) return [`${name} did not fail`];
      // The line that threw is shown with its file.
      if (!/arango-services|dist/.test(result.output)) return [`${name}: no file of the package in ${result.output}`];
      return line === undefined ? [] : [`${name} prints a line of ${line.length} characters: ${line.slice(0, 200)}…`];
    }),
  );
  return faults.flat();
}
