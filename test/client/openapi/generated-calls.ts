import { readFileSync } from 'node:fs';

/** An operation in a file of openapi-typescript, and its required parameters by place. */
interface Found {
  readonly path: string;
  readonly method: string;
  readonly required: ReadonlyMap<string, readonly string[]>;
  readonly hasBody: boolean;
}

/** Splits the block of an interface into its members, by their indentation. */
function members(text: string, indent: number): Map<string, string> {
  const pattern = new RegExp(`^ {${indent}}("[^"]+"|[\\w-]+)(\\??):\\s([^]*?)(?=^ {0,${indent}}\\S|$(?![^]))`, 'gm');
  return new Map([...text.matchAll(pattern)].map(([, name = '', mark, rest = '']) => [name + mark, rest]));
}

const blockOf = (text: string, name: string): string =>
  text.split(`export interface ${name} {\n`)[1]?.split(/^}/m, 1)[0] ?? '';

/** Reads the operations of a types file that openapi-typescript has generated, indented by two or by four. */
export function readGenerated(file: string): Found[] {
  const text = readFileSync(file, 'utf8');
  const step = /^( +)/m.exec(blockOf(text, 'paths'))?.[1]?.length ?? 2;
  const operations = members(blockOf(text, 'operations'), step);
  return [...members(blockOf(text, 'paths'), step)].flatMap(([path, item]) =>
    [...members(item, step * 2)].flatMap(([method, type]) => {
      const id = /^operations\["([^"]+)"\]/.exec(type)?.[1];
      const operation = operations.get(id ?? '') ?? operations.get(`"${id}"`);
      if (operation === undefined || !/^(?:get|put|post|delete|patch)$/.test(method)) return [];
      const own = members(operation, step * 2);
      const required = ['path', 'query', 'header'].flatMap((place) => {
        const fields = members(own.get('parameters') ?? '', step * 3).get(place);
        if (!fields?.startsWith('{')) return [];
        const names = [...members(fields, step * 4).keys()].filter((name) => !name.endsWith('?'));
        return [[place, names] as const];
      });
      return { path: JSON.parse(path) as string, method, required: new Map(required), hasBody: own.has('requestBody') };
    }),
  );
}

const fieldsOf = (names: readonly string[]) => `{ ${names.map((name) => `${name}: given`).join(', ')} }`;

/** A module that calls each operation by `typed`, and one that does by openapi-fetch. */
export function writeCalls(found: readonly Found[], types: string, openapi: string): { ours: string; theirs: string } {
  const head = `import type { paths } from '${types}';\ndeclare const given: never;\n`;
  const lines = found.map(({ path, method, required, hasBody }, index) => {
    const places = [...required].map(([place, names]) => [place, fieldsOf(names)] as const);
    const body = hasBody ? ['body: given'] : [];
    const own = [...places.map(([place, text]) => `${place === 'header' ? 'headers' : place}: ${text}`), ...body];
    const params = places.map(([place, text]) => `${place}: ${text}`).join(', ');
    const other = [...(params === '' ? [] : [`params: { ${params} }`]), ...body];
    const call = (name: string, parts: string[]) =>
      `${name}('${path}'${parts.length === 0 ? '' : `, { ${parts.join(', ')} }`})`;
    return [
      `export const a${index} = (await api.${call(method, own)}).body;\n`,
      `export const a${index} = (await api.${call(method.toUpperCase(), other)}).data;\n`,
    ] as const;
  });
  const ours = `import type { TypedRoute } from '${openapi}';\n${head}declare const api: TypedRoute<paths>;\n`;
  const theirs = `import createClient from 'openapi-fetch';\n${head}const api = createClient<paths>({});\n`;
  return { ours: ours + lines.map(([line]) => line).join(''), theirs: theirs + lines.map(([, line]) => line).join('') };
}
