import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execBin, root } from './exec.ts';

/** Returns tsc's errors in some of a program's modules; an empty text if there are none. */
type Verdict = () => Promise<string>;

/**
 * Modules of examples that are type-checked together, since most of tsc's time goes into their imports. They are
 * written below `reports` (git ignores it), inside the package, so that they import `arango-services` by its name,
 * through its exports, as built. What one of them declares as global is seen by all.
 */
export class ExampleProgram {
  readonly #folder: string;
  readonly #groups: (readonly string[])[] = [];
  #output: Promise<string> | undefined;

  constructor(name: string) {
    this.#folder = join(root, 'reports', 'examples', name);
  }

  /** Adds modules as one group; the first verdict that is asked for runs tsc over all groups. */
  add(modules: readonly string[]): Verdict {
    if (this.#output !== undefined) throw new Error('the program has been checked');
    const group = `group-${this.#groups.push(modules)}`;
    return async () => {
      this.#output ??= this.#check();
      // A fault is a line that names its file; indented lines go on with it.
      const faults = (await this.#output).split(/\n(?=\S)/);
      return faults.filter((fault) => fault.includes(`${group}/`)).join('\n');
    };
  }

  async #check(): Promise<string> {
    await rm(this.#folder, { recursive: true, force: true });
    const files = new Map<string, string>();
    for (const [index, modules] of this.#groups.entries()) {
      const folder = join(this.#folder, `group-${index + 1}`);
      await mkdir(folder, { recursive: true });
      for (const [at, module] of modules.entries()) files.set(join(folder, `section-${at + 1}.ts`), module);
    }
    await Promise.all([...files].map(([path, module]) => writeFile(path, module)));
    const tsconfig = { extends: join(root, 'tsconfig.json'), files: [...files.keys()], include: [] };
    await writeFile(join(this.#folder, 'tsconfig.json'), JSON.stringify(tsconfig));
    const { ok, output } = await execBin('typescript/bin/tsc', ['-p', this.#folder, '--pretty', 'false']);
    // An error outside every group (in the configuration, in a declaration file) fails all of them.
    const strange = ok ? [] : output.split(/\n(?=\S)/).filter((fault) => !fault.includes('group-'));
    if (strange.length > 0) throw new Error(strange.join('\n'));
    return output;
  }
}
