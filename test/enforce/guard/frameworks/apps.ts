// The same routes in each framework, written as its users write them, the most specific path first.
import type { RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import KoaRouter from '@koa/router';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import Koa from 'koa';
import type { RequestLike } from '../../../../src/enforce/guard/index.ts';

export type Method = 'get' | 'head' | 'post';

export interface Route {
  readonly method: Method;
  /** The path template of the document. */
  readonly path: string;
}

interface Service {
  readonly routes: readonly Route[];
  /** Where the service is mounted: `/api`, or nothing. */
  readonly mount: string;
  /** Runs before the router; false for a request that is refused. */
  readonly front: (request: RequestLike) => Promise<boolean>;
  /** Runs in the handler, with the parameters that the framework has parsed. */
  readonly handle: (route: Route, params: Readonly<Record<string, string>>, request: RequestLike) => Promise<unknown>;
}

type Framework = (service: Service) => RequestListener | Promise<RequestListener>;

const splitTemplate = (path: string) => path.split(/\{(\w+)\}/);

/** Writes a template in the syntax of a framework. */
const write = (path: string, text: (text: string) => string, name: (name: string) => string): string =>
  splitTemplate(path)
    .map((part, index) => (index % 2 ? name(part) : text(part)))
    .join('');

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
const asPattern = (path: string, value = '[^/]+') =>
  new RegExp(`^${write(path, escaped, (name) => `(?<${name}>${value})`)}$`, 's');

/** The syntax of path-to-regexp 8, which compares with the path as it was sent. */
const forPathToRegexp = (path: string) =>
  write(
    path,
    (text) => encodeURI(text).replace(/[:*(){}[\]?+!\\]/g, '\\$&'),
    (name) => `:${name}`,
  );

const expressApp: Framework = ({ routes, mount, front, handle }) => {
  const app = express();
  const router = express.Router();
  app.use(async (request, response, next) => ((await front(request)) ? next() : response.sendStatus(403)));
  for (const route of routes) {
    router[route.method](forPathToRegexp(route.path), async (request, response) => {
      // The cast: no path here has a wildcard, which would be a list.
      await handle(route, request.params as Record<string, string>, request);
      response.send('ran');
    });
  }
  app.use(mount || '/', router);
  return app;
};

const koaApp: Framework = ({ routes, mount, front, handle }) => {
  const app = new Koa();
  const router = new KoaRouter({ prefix: mount });
  app.use(async (context, next) => {
    if (await front(context.req)) return next();
    context.status = 403;
  });
  for (const route of routes) {
    router[route.method](forPathToRegexp(route.path), async (context) => {
      await handle(route, context.params, context.req);
      context.body = 'ran';
    });
  }
  app.use(router.routes());
  return app.callback();
};

/** Fastify decodes a path before it compares. In front of a colon, a parameter needs a pattern to have an end. */
const forFastify = (path: string) =>
  write(
    path.replaceAll(':', '::'),
    (text) => text,
    (name) => `:${name}`,
  ).replace(/(?<=[^:]:\w+)(?=::)/, '(^[^:/]+)');

const fastifyApp: Framework = async ({ routes, mount, front, handle }) => {
  const app = fastify();
  app.addHook('onRequest', async (request, reply) => {
    if (!(await front(request.raw))) return reply.code(403).send('');
  });
  await app.register(
    async (inner) => {
      for (const route of routes) {
        inner[route.method](forFastify(route.path), async (request) => {
          await handle(route, request.params as Record<string, string>, request.raw);
          return 'ran';
        });
      }
    },
    { prefix: mount },
  );
  await app.ready();
  return (request, response) => app.routing(request, response);
};

/** Hono has a parameter beside other text only as a pattern for the segment, which the handler takes apart. */
const forHono = (path: string) =>
  path
    .split('/')
    .map((segment, index) => {
      const [before, name, ...after] = splitTemplate(segment);
      if (name === undefined) return segment;
      if (before === '' && after.join('') === '') return `:${name}`;
      return `:segment${index}{${write(segment, escaped, () => '[^/]+')}}`;
    })
    .join('/');

function honoParams(path: string, given: Readonly<Record<string, string>>): Record<string, string> {
  const entries = path.split('/').flatMap((segment, index) => {
    const whole = given[`segment${index}`];
    const [, name = ''] = splitTemplate(segment);
    const single = given[name];
    if (whole !== undefined) return Object.entries(asPattern(segment, '.+').exec(whole)?.groups ?? {});
    return single === undefined ? [] : [[name, single] as const];
  });
  return Object.fromEntries(entries);
}

const honoApp: Framework = ({ routes, mount, front, handle }) => {
  const app = new Hono();
  const inner = new Hono();
  app.use(async (c, next) => ((await front(c.req.raw)) ? next() : c.body(null, 403)));
  for (const route of routes) {
    inner.on(route.method.toUpperCase(), forHono(route.path), async (c) => {
      await handle(route, honoParams(route.path, c.req.param()), c.req.raw);
      return c.text('ran');
    });
  }
  app.route(mount || '/', inner);
  // Other tests run in the same process.
  return getRequestListener(app.fetch, { overrideGlobalObjects: false });
};

/** A service without a framework: `match` finds a template's parameters in the path of a `URL`. */
const ownRouter =
  (match: (path: string, pathname: string) => Readonly<Record<string, string>> | undefined): Framework =>
  ({ routes, mount, front, handle }) =>
  async (request, response) => {
    const refuse = (status: number) => void response.writeHead(status).end();
    if (!(await front(request))) return refuse(403);
    if (!URL.canParse(request.url ?? '', 'http://service.test')) return refuse(400);
    const { pathname } = new URL(request.url ?? '', 'http://service.test');
    const method = request.method?.toLowerCase();
    for (const route of routes) {
      const params = match(mount + route.path, pathname);
      if (params === undefined || (method !== route.method && !(method === 'head' && route.method === 'get'))) continue;
      await handle(route, params, request);
      return void response.end('ran');
    }
    return refuse(404);
  };

function decoded(values: Readonly<Record<string, string>>): Readonly<Record<string, string>> | undefined {
  try {
    return Object.fromEntries(Object.entries(values).map(([name, text]) => [name, decodeURIComponent(text)]));
  } catch {
    return undefined;
  }
}

/** Compares with the path as a `URL` has it, and then decodes the parameters. */
const encodedText = (path: string) => write(path, encodeURI, (name) => `{${name}}`);
function matchEncoded(path: string, pathname: string): Readonly<Record<string, string>> | undefined {
  const found = asPattern(encodedText(path)).exec(pathname);
  return found === null ? undefined : decoded({ ...found.groups });
}

/** Splits the path, decodes its segments, and then compares. */
function matchDecoded(path: string, pathname: string): Readonly<Record<string, string>> | undefined {
  const segments = decoded(Object.fromEntries(pathname.split('/').entries()));
  const wanted = path.split('/');
  if (segments === undefined || Object.keys(segments).length !== wanted.length) return undefined;
  const found = wanted.map((segment, index) => asPattern(segment).exec(segments[index] ?? ''));
  return found.includes(null) ? undefined : Object.assign({}, ...found.map((one) => one?.groups));
}

export const frameworks: Readonly<Record<string, Framework>> = {
  'Express 5': expressApp,
  'Fastify 5': fastifyApp,
  Hono: honoApp,
  'Koa with @koa/router 15': koaApp,
  'node:http with URL': ownRouter(matchEncoded),
  'node:http with URL, decoded first': ownRouter(matchDecoded),
};
