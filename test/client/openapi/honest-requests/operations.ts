type Fields = Record<string, unknown>;
type Values = Readonly<Record<string, string | number>>;

export interface Operation {
  readonly method: string;
  readonly path: string;
  /** Of its permission; no other operation has it. */
  readonly action: string;
  /** The schemas of the path parameters. */
  readonly parameters: Readonly<Record<string, Fields>>;
  /** What the guard has to ask for these values. */
  readonly question: (values: Values) => string;
}

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];

function follow(document: Fields, value: unknown): Fields {
  const found = value as Fields;
  if (typeof found.$ref !== 'string') return found;
  const names = found.$ref.slice(2).split('/');
  return follow(
    document,
    names.reduce<unknown>((at, name) => (at as Fields)[name.replaceAll('~1', '/').replaceAll('~0', '~')], document),
  );
}

/** A schema with the type and the format of its choices, as far as values are made of them. */
function flatten(document: Fields, given: unknown): Fields {
  const schema = follow(document, given ?? {});
  const [first] = ([schema.oneOf, schema.anyOf, schema.allOf].flat() as unknown[]).filter(Boolean);
  return first === undefined ? schema : flatten(document, first);
}

/**
 * Adds `x-permission` to each operation of a document, with all parameters in its resource, and returns the operations.
 */
export function operationsOf(document: Fields): Operation[] {
  return Object.entries(document.paths as Record<string, Fields>).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method] as Fields | undefined;
      if (operation === undefined) return [];
      const names = [...path.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name);
      const all = [item.parameters ?? [], operation.parameters ?? []].flat().map((one) => follow(document, one));
      const parameters = Object.fromEntries(
        names.map((name) => [
          name,
          flatten(document, all.findLast((one) => one.in === 'path' && one.name === name)?.schema),
        ]),
      );
      // What has no schema, an unknown format or two types is any text.
      const inResource = (name: string) => {
        const schema = all.findLast((one) => one.in === 'path' && one.name === name)?.schema;
        const { type, format } = parameters[name] ?? {};
        const isOne = type !== undefined && format !== 'path' && !('oneOf' in follow(document, schema));
        return isOne ? `{${name}}` : `{${name}:text}`;
      };
      const action = `${method}:${path.replaceAll(':', ';')}`;
      operation['x-permission'] = { action, resource: ['r', ...names.map(inResource)].join(':') };
      const question = (values: Values) => [`${action} r`, ...names.map((name) => values[name])].join(':');
      return [{ method, path, action, parameters, question }];
    }),
  );
}

const fold = (text: string) => text.normalize('NFKC').toLowerCase();
const escaped = (text: string) => fold(text).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** A sibling whose fixed text a value equals, where the operation's own path has a parameter. */
export function rivalOf({ path }: Operation, values: Values, all: readonly Operation[]): string | undefined {
  const filled = path.replace(/\{([^{}]+)\}/g, (_, name: string) => String(values[name]));
  const segments = filled.split('/').map(fold);
  return all.find((other) => {
    const wanted = other.path.split('/');
    const hasMore = wanted.some((segment, index) => !segment.startsWith('{') && segment !== path.split('/')[index]);
    const takes = (segment: string, index: number) =>
      new RegExp(
        `^${segment
          .split(/\{[^{}]+\}/)
          .map(escaped)
          .join('.*')}$`,
        's',
      ).test(segments[index] ?? '/');
    return other.path !== path && wanted.length === segments.length && hasMore && wanted.every(takes);
  })?.path;
}

/** The values of a schema's `enum` or `const`. */
export const choicesOf = ({ enum: choices, const: only }: Fields): string[] | undefined =>
  only === undefined ? (choices as string[] | undefined) : [only as string];

/** True for a text that a schema allows, as far as these documents need it. */
const isValue = (schema: Fields = {}, text: string) =>
  choicesOf(schema)?.includes(text) ?? (schema.type !== 'integer' || /^\d+$/.test(text));

const isParameter = (segment = '') => /^\{[^{}]+\}$/.test(segment);

/** For each parameter of a path, the values of its type with which the path is also one of a sibling. */
export function* valuesOfSiblings({ path, parameters }: Operation, all: readonly Operation[]) {
  const own = path.split('/');
  const siblings = new Set(all.map((other) => other.path));
  for (const sibling of siblings) {
    const other = sibling.split('/');
    // Each segment is fixed in one of the two, or the same in both.
    const merged = own.map((segment, index) => (isParameter(segment) ? (other[index] ?? '') : segment));
    const fits = merged.every((segment, index) => segment === other[index] || isParameter(other[index]));
    if (sibling === path || other.length !== own.length || !fits) continue;
    const free = (name: string) =>
      choicesOf(parameters[name] ?? {})?.[0] ?? (parameters[name]?.type === 'integer' ? '7' : 'x1');
    const entries = own.flatMap((segment, index): [string, string][] => {
      const name = segment.slice(1, -1);
      const text = merged[index] ?? '';
      return isParameter(segment) ? [[name, isParameter(text) ? free(name) : text]] : [];
    });
    if (!entries.every(([name, text]) => isValue(parameters[name], text))) continue;
    const values = Object.fromEntries(entries);
    yield { sibling, values, url: path.replace(/\{([^{}]+)\}/g, (_, name: string) => values[name] ?? free(name)) };
  }
}
