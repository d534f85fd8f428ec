import type { RequestListener } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import fastify from 'fastify';
import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Guard, guardOperation, operationGuards } from '../../../src/enforce/guard/index.ts';
import { guardOf } from '../../support/guards.ts';
import { sendRaw } from './frameworks/raw-requests.ts';
import { document, kinds, lost, passed, type Ran, sampleSpellings } from './spellings/spellings.ts';

/** Runs in a handler: the kind, the parsed value, and the path of the request. */
type Handle = (kind: string, value: unknown, path: string) => Promise<void>;
type Service = (handle: Handle) => RequestListener | Promise<RequestListener>;

/** Fastify converts by the schema: `"07"` is the integer 7. */
const fastifyByDefault: Service = async (handle) => {
  const app = fastify({ ajv: { customOptions: { formats: { byte: true } } } });
  for (const [kind, { schema }] of Object.entries(kinds)) {
    const params = { type: 'object', properties: { value: schema }, required: ['value'] };
    app.get<{ Params: { value: unknown } }>(`/${kind}/:value`, { schema: { params } }, async (request) => {
      await handle(kind, request.params.value, request.raw.url ?? '');
      return 'ran';
    });
  }
  await app.ready();
  return (request, response) => app.routing(request, response);
};

/** What a handler may parse by; other kinds are text. */
const parsers: Readonly<Record<string, z.ZodType>> = {
  boolean: z.stringbool(),
  integer: z.coerce.number().int(),
  number: z.coerce.number(),
  float: z.coerce.number().transform(Math.fround),
  date: z.coerce.date(),
  'date-time': z.coerce.date(),
  time: z.string().transform((text) => new Date(`1970-01-01T${text}`)),
  uuid: z.string().transform((text) => text.toLowerCase().replaceAll(/[^\da-f]/g, '')),
  byte: z.string().transform((text) => Buffer.from(text, 'base64').toString('hex')),
  choice: z.string().transform((text) => text.trim().toLowerCase()),
  level: z.coerce.bigint(),
  text: z.string().trim(),
};

const honoWithZod: Service = (handle) => {
  const app = new Hono();
  for (const kind of Object.keys(kinds)) {
    app.get(`/${kind}/:value`, async (c) => {
      const parsed = (parsers[kind] ?? z.string()).safeParse(c.req.param('value'));
      if (!parsed.success || String(parsed.data) === 'Invalid Date') return c.text('invalid', 422);
      await handle(kind, parsed.data, new URL(c.req.url).pathname);
      return c.text('ran');
    });
  }
  return getRequestListener(app.fetch, { overrideGlobalObjects: false });
};

const keyOf = (value: unknown) =>
  value instanceof Date ? `date ${value.getTime()}` : `${typeof value} ${Object.is(value, -0) ? 0 : String(value)}`;

/** A guard that allows everything, and its question about a request. */
function recordingGuard() {
  const asked = new WeakMap<object, string>();
  const check: Guard['check'] = async (request, { resource }) => {
    asked.set(request, resource);
    return { allowed: true, status: 200, token: 't' };
  };
  return { guard: guardOf(check), askedAbout: (request: object) => asked.get(request) };
}

/** Sends random spellings; `ask` gives the resource of the question about a value. */
async function run(service: Service, ask: (kind: string, value: unknown, path: string) => Promise<string | undefined>) {
  const all: Ran[] = [];
  const listener = await service(async (kind, value, path) => {
    all.push({ kind, path, value: keyOf(value), resource: await ask(kind, value, path) });
  });
  const spellings = sampleSpellings(300);
  await sendRaw(
    listener,
    spellings.map(({ path }) => `GET ${path}` as const),
  );
  return all;
}

describe.each(Object.entries({ 'Fastify 5': fastifyByDefault, 'Hono with zod': honoWithZod }))('%s', (_, service) => {
  test('gets no value by two resources that guardOperation asks about', async () => {
    const { guard, askedAbout } = recordingGuard();
    const check = guardOperation(guard, document);
    const all = await run(service, async (_kind, _value, url) => {
      const request = { headers: {}, method: 'GET', url };
      const { allowed } = await check(request);
      return allowed ? askedAbout(request) : undefined;
    });
    expect(passed(all)).toEqual([]);
    expect(lost(all)).toEqual([]);
    const denied = all.filter(({ resource }) => resource === undefined);
    expect(all.length).toBeGreaterThan(1_500);
    expect(denied.length).toBeGreaterThan(300);
  });

  test('gets no value by two resources that operationGuards asks about', async () => {
    const { guard, askedAbout } = recordingGuard();
    const operations = operationGuards(guard, document);
    const all = await run(service, async (kind, value) => {
      // A handler that has parsed a date passes its text on.
      const text = value instanceof Date || typeof value === 'bigint' ? undefined : value;
      if (text === undefined) return undefined;
      const request = { headers: {} };
      // The cast: a value may be of any kind.
      const params = { value: text as string };
      const access = await operations.for(`GET /${kind}/{value}`).check(request, { params });
      return access.allowed ? askedAbout(request) : undefined;
    });
    expect(passed(all)).toEqual([]);
    expect(all.length).toBeGreaterThan(1_500);
  });
});
