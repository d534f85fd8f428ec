import type { Method, Route } from './apps.ts';

/** A document's operations with `public`, or else a permission of their own, and values that its parameters get. */
export interface Kind {
  readonly operations: Readonly<Record<string, 'public' | 'own'>>;
  readonly values: readonly string[];
}

/** By what is hard about them. The most specific path is first, as routers that take the first match need it. */
export const kinds: Readonly<Record<string, Kind>> = {
  'text behind a parameter, public': {
    operations: { 'GET /files/{name}.txt': 'public', 'GET /files/{name}': 'own' },
    values: ['secret', 'a.b', '.txt', 'a.txt', 'a.TXT'],
  },
  'text behind a parameter, with a permission': {
    operations: { 'GET /files/{name}.txt': 'own', 'GET /files/{name}': 'public' },
    values: ['secret', 'a.b', '.txt', 'a.txt'],
  },
  'an action behind a colon': {
    operations: { 'POST /orders/{id}:view': 'own', 'POST /orders/{id}': 'own', 'GET /orders/{id}': 'own' },
    values: ['7', '7:view', '7:VIEW'],
  },
  'an action behind a colon, public': {
    operations: { 'GET /orders/{id}:view': 'public', 'GET /orders/{id}': 'own' },
    values: ['7', 'a:b', ':a', '7:view'],
  },
  'text with an at sign': {
    operations: { 'GET /users/@me': 'public', 'GET /users/{id}': 'own', 'GET /users/{id}/@all': 'own' },
    values: ['7', '@me', 'me'],
  },
  'text beside a parameter': {
    operations: { 'GET /orders/export': 'own', 'GET /orders/{id}': 'own', 'POST /orders/{id}': 'own' },
    values: ['7', 'export', 'Export', 'a b', 'ü'],
  },
  'two parameters in a segment': {
    operations: { 'GET /pairs/{a}-{b}': 'own', 'GET /pairs/{a}': 'own' },
    values: ['x', 'y', 'x-y', 'x-y-z'],
  },
  'text before a parameter': {
    operations: { 'GET /v/v{major}': 'public', 'GET /v/{name}': 'own' },
    values: ['1', 'v1', 'V1', 'latest'],
  },
  'characters that a path cannot hold': {
    operations: { 'GET /städte/my shop': 'public', 'GET /städte/{id}': 'own' },
    values: ['7', 'my shop', 'my+shop'],
  },
  'paths that cross': {
    operations: { 'GET /shops/{id}': 'own', 'GET /{kind}/all': 'own' },
    values: ['7', 'all', 'shops'],
  },
  'one case and the other': {
    operations: { 'GET /Items/{id}': 'own', 'GET /items/new': 'public' },
    values: ['7', 'new'],
  },
  'HEAD alone': {
    operations: { 'HEAD /docs/free': 'public', 'GET /docs/{id}': 'own' },
    values: ['7', 'free'],
  },
  'HEAD and GET': {
    operations: { 'GET /docs/all': 'public', 'HEAD /docs/{id}': 'public', 'GET /docs/{id}': 'own' },
    values: ['7', 'all'],
  },
  'dots and digits in text': {
    operations: { 'GET /v1.0/status': 'public', 'GET /v1.0/{id}': 'own', 'GET /{version}/{id}': 'own' },
    values: ['7', 'status', 'v1.0', 'v1-0'],
  },
};

/** The operations of a kind. */
export const routesOf = ({ operations }: Kind): Route[] =>
  Object.keys(operations).map((key) => {
    const [method = '', path = ''] = key.split(/ (.*)/);
    // The cast: the keys have no other methods.
    return { method: method.toLowerCase() as Method, path };
  });

export const keyOf = ({ method, path }: Route): string => `${method.toUpperCase()} ${path}`;

const isPublic = (kind: Kind, route: Route) => kind.operations[keyOf(route)] === 'public';

/** A permission that no other operation needs, on a resource with all parameters. */
const permissionOf = ({ method, path }: Route) => ({
  action: `${method}:${path.replaceAll(':', ';')}`,
  resource: ['r', ...path.matchAll(/\{\w+\}/g)].join(':'),
});

/** What an operation needs for these parameters; undefined if it is public. */
export function neededBy(kind: Kind, route: Route, params: Readonly<Record<string, string>>): string | undefined {
  const { action, resource } = permissionOf(route);
  const filled = resource.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '(missing)');
  return isPublic(kind, route) ? undefined : `${action} ${filled}`;
}

const text = { type: 'string' };

/** The document of a kind. */
export function documentOf(kind: Kind): { readonly paths: Readonly<Record<string, object>> } {
  const paths: Record<string, object> = {};
  for (const route of routesOf(kind)) {
    const permission = isPublic(kind, route) ? 'public' : permissionOf(route);
    const parameters = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', schema: text }));
    paths[route.path] = { ...paths[route.path], parameters, [route.method]: { 'x-permission': permission } };
  }
  return { paths };
}

/** Each template with each combination of values, as a client sends it. */
export function pathsOf(kind: Kind): string[] {
  const filled = routesOf(kind).flatMap(({ path }) => {
    let all = [encodeURI(path.replaceAll('{', '<')).replaceAll('%3C', '{').replaceAll('%7D', '}')];
    for (const _ of path.matchAll(/\{/g)) {
      all = all.flatMap((one) => kind.values.map((text) => one.replace(/\{\w+\}/, encodeURI(text))));
    }
    return all;
  });
  return [...new Set(filled)];
}
