import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execBin, root } from './exec.ts';
import type { Subpath } from './package.ts';

type Mode = 'nodenext' | 'node20' | 'bundler';

// A consumer's code, with compile errors that only occur if the types really arrive.
export const usage = `
import { Connection, createClient, isHttpError, Route } from 'arango-services';

const client = createClient({ url: 'http://localhost:8529', database: 'shop' });
const orders = client.route('orders', { 'x-tenant': 'acme' });
export const { body, status } = await orders.get<{ id: number }>('open', { limit: 5 });
export const id: number = body.id;
export const code: number = status;
export const lone: Route = new Route(new Connection({ url: 'http://localhost:8529' }));
export const statusOf = (error: unknown): number | undefined => (isHttpError(error) ? error.status : undefined);
// @ts-expect-error a body has no shape until a schema or a type argument gives it one
export const unknownId: number = (await orders.get('open')).body.id;
// @ts-expect-error a misspelt option
await orders.request({ methd: 'GET' });
`;

const [usageImports, usageBody = ''] = usage.split('\n\n');

/** The same for `module: commonjs`, which has no `await` outside functions. */
export const usageInCommonJs = `${usageImports}
export async function main() {
${usageBody.replaceAll('export ', '')}
  return { id, code, lone, statusOf, unknownId };
}
`;

/** A file of CommonJS, which compiles where `require` of a module is known. Imports at run time compile anywhere. */
export const usageInRequire = `import { createClient } from 'arango-services';

export const client = createClient({ url: 'http://localhost:8529' });
`;
export const usageAtRunTime = `export const client = async () =>
  (await import('arango-services')).createClient({ url: 'http://localhost:8529' });
`;

/** A module that imports every subpath whole; a subpath whose types did not arrive is `any` and is refused. */
export function importAll(subpaths: readonly Subpath[]): string {
  const lines = subpaths.map(
    ({ specifier }, index) =>
      `import * as m${index} from '${specifier}';\nexport const n${index}: NotAny<typeof m${index}> = m${index};`,
  );
  return `type NotAny<T> = 0 extends 1 & T ? never : T;\n${lines.join('\n')}\n`;
}

/**
 * Type-checks a consumer of the installed package in `folder`, its dependencies' types included.
 * Subpaths that do not need Node are checked without Node's types, as in an application for the browser.
 */
export async function checkTypes(folder: string, mode: Mode, subpaths: readonly Subpath[]): Promise<string[]> {
  const anywhere = subpaths.filter(({ nodeOnly, peer }) => !nodeOnly && peer === undefined);
  await Promise.all([
    writeFile(join(folder, 'usage.ts'), usage),
    writeFile(join(folder, 'anywhere.ts'), importAll(anywhere)),
    writeFile(join(folder, 'all.ts'), importAll(subpaths)),
  ]);
  const found = [
    await compile(folder, mode, ['usage.ts', 'anywhere.ts'], []),
    await compile(folder, mode, ['all.ts'], ['--types', 'node', '--typeRoots', `${root}node_modules/@types`]),
  ];
  return found.flat();
}

async function compile(folder: string, mode: Mode, files: readonly string[], types: readonly string[]) {
  const resolution =
    mode === 'bundler' ? ['--module', 'preserve', '--moduleResolution', 'bundler'] : ['--module', mode];
  const lib = 'es2023,esnext.disposable,dom,dom.iterable,dom.asynciterable';
  const flags = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--target', 'es2023', '--lib', lib];
  const result = await execBin('typescript/bin/tsc', [...flags, ...resolution, ...types, ...files], folder);
  return result.ok ? [] : [result.output];
}
