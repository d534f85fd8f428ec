// Fetches the published documents that `../documents/called/sources.json` lists, and writes the cut ones: run it to add or renew them.
//   node --experimental-strip-types test/client/openapi/called-documents/cut.ts
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

type Fields = Record<string, unknown>;

const here = join(import.meta.dirname, '../documents/called');
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const methods = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch']);
const mostOperations = 12;
/** Notes, and what neither a request nor an answer is checked by. */
const dropped =
  /^(?:x-.*|description|summary|title|externalDocs|tags|examples?|callbacks|links|security|servers|deprecated|operationId)$/;

/** Downloads and unpacks a package, once for all of its documents. */
function fetchPackage(registry: string, name: string, version: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'documents-'));
  const run = (command: string, ...args: string[]) => execFileSync(command, args, { cwd: folder, stdio: 'pipe' });
  if (registry === 'npm') run('npm', 'pack', '--silent', `${name}@${version}`);
  else run('pip', 'download', '--no-deps', '-q', `${name}==${version}`);
  for (const file of globSync('*.{tgz,tar.gz}', { cwd: folder })) run('tar', 'xzf', file);
  for (const file of globSync('*.whl', { cwd: folder })) run('unzip', '-qo', file);
  return folder;
}

/** Copies a part without notes. The keys of maps are names, which may be any. */
function plain(value: unknown, isMap = false): unknown {
  if (Array.isArray(value)) return value.map((one) => plain(one));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => isMap || !dropped.test(key))
      .map(([key, one]) => [
        key,
        key === 'enum' || key === 'default'
          ? one
          : plain(one, /^(?:properties|headers|content|schemas|parameters|responses|encoding)$/.test(key) && !isMap),
      ]),
  );
}

/** The operations that have the most to show: forms, styles, lists and objects in parameters. */
const weigh = (operation: unknown) => {
  const text = JSON.stringify(operation);
  return (
    text.match(
      /"style"|"explode"|form-data|urlencoded|deepObject|"in":"(?:cookie|header)"|"content":\{"application\/json":\{\}\}/g,
    ) ?? []
  ).length;
};

/** Cuts a document to some operations, and what they refer to. */
function cut(document: Fields, most: number): Fields {
  // A `?` or a `#` does not belong to a path of OpenAPI; some documents have them.
  const all = Object.entries(document.paths as Fields)
    .filter(([path]) => !/[?#]/.test(path))
    .flatMap(([path, item]) =>
      Object.keys(item as Fields).flatMap((method) => (methods.has(method) ? [{ path, method }] : [])),
    );
  const weight = ({ path, method }: { path: string; method: string }) =>
    weigh(((document.paths as Fields)[path] as Fields)[method]);
  const chosen = [...all].sort((a, b) => weight(b) - weight(a)).slice(0, most);
  const paths: Fields = {};
  for (const { path, method } of all.filter((one) => chosen.includes(one))) {
    const item = (document.paths as Fields)[path] as Fields;
    const known = (paths[path] ??
      (item.parameters === undefined ? {} : { parameters: plain(item.parameters) })) as Fields;
    paths[path] = { ...known, [method]: plain(item[method]) };
  }
  const components: Fields = {};
  const add = (value: unknown): void => {
    for (const [, reference = ''] of JSON.stringify(value).matchAll(/"\$ref":"#\/components\/([^"]+)"/g)) {
      const [kind = '', name = ''] = reference
        .split('/')
        .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'));
      const of = (components[kind] ?? {}) as Fields;
      components[kind] = of;
      if (Object.hasOwn(of, name)) continue;
      of[name] = plain(((document.components as Fields)[kind] as Fields)[name]);
      add(of[name]);
    }
  };
  add(paths);
  return { openapi: document.openapi, info: { title: 'cut', version: '0' }, paths, components };
}

const sources = JSON.parse(readFileSync(join(here, 'sources.json'), 'utf8')) as Record<string, string>[];
const folders = new Map<string, string>();
for (const { name = '', registry = '', package: of = '', version = '', file = '' } of sources) {
  const key = `${registry} ${of}`;
  const folder = folders.get(key) ?? fetchPackage(registry, of, version);
  folders.set(key, folder);
  const text = readFileSync(join(folder, file), 'utf8').replace(/^\uFEFF/, '');
  const document = (file.endsWith('.json') ? JSON.parse(text) : parse(text, { maxAliasCount: -1 })) as Fields;
  let most = mostOperations;
  let json = JSON.stringify(cut(document, most));
  while (json.length > 60_000 && most > 1) json = JSON.stringify(cut(document, --most));
  writeFileSync(join(here, `${name}.json`), `${json}\n`);
  console.log(name, json.length, most, Object.keys(document.paths as Fields).length);
}
