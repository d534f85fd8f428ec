import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DocumentParameter, readParameters } from '../../../src/base/openapi-document/document-parameters.ts';
import { follow, variantsOf } from '../../../src/base/openapi-document/reference.ts';
import { permissionsOf, typed } from '../../../src/client/openapi/index.ts';
import { type ParameterStyles, parameterTable } from '../../../src/client/openapi/parameter-table.ts';
import { createGuard, operationGuards } from '../../../src/enforce/guard/index.ts';
import { createClient, type HttpError } from '../../../src/index.ts';
import { createMock, type ServiceHandlers } from '../../../src/mock/index.ts';
import { openApiValidator } from '../../../src/mock/openapi/index.ts';
import { Schemas } from '../../../src/mock/openapi/schemas.ts';
import { stylesOf } from '../../../src/tools/command/parameters/index.ts';
import { casesOf, partOf } from '../../support/thorough.ts';
import { valuesOf } from './called-documents/generate.ts';
import { otherValidator } from './called-documents/other-validator.ts';

type Fields = Record<string, unknown>;
const folder = `${import.meta.dirname}/documents/called`;
const sources = JSON.parse(readFileSync(`${folder}/sources.json`, 'utf8')) as {
  readonly name: string;
  readonly generator: string;
  readonly licence: string;
}[];

/** The operations that cannot be called, with the cause: no value fits the document. */
const refused: Readonly<Record<string, readonly string[]>> = {
  // The parts of `allOf` forbid each other's fields (`additionalProperties: false`).
  shipengine: [
    'POST /v1/addresses/validate: no generated value of the body is valid',
    'POST /v1/addresses/validate: no generated value of the answer is valid',
    'GET /v1/batches: no generated value of the answer is valid',
    'POST /v1/batches: no generated value of the answer is valid',
    'GET /v1/batches/external_batch_id/{external_batch_id}: no generated value of the answer is valid',
    'GET /v1/manifests: no generated value of the answer is valid',
  ],
  // `additionalProperties: false` beside a `$ref` forbids the fields that the reference requires.
  'open-payments-resource': ['POST /incoming-payments/{id}/complete: no generated value of the answer is valid'],
  // A value of each part of `oneOf` fits the other one, too.
  'azure-openai': [
    'POST /deployments/{deployment-id}/audio/transcriptions: no generated value of the answer is valid',
    'POST /deployments/{deployment-id}/audio/translations: no generated value of the answer is valid',
  ],
};

const isForm = (type: string) => /urlencoded|form-data/.test(type);

/** A body with its content type, as a client sends it. */
function encodeBody(type: string, value: unknown) {
  if (/json/.test(type)) return { body: JSON.stringify(value), headers: { 'content-type': type } };
  if (!isForm(type)) return { body: typeof value === 'string' ? value : 'text', headers: { 'content-type': type } };
  const form = type.includes('data') ? new FormData() : new URLSearchParams();
  const textOf = (one: unknown) => (typeof one === 'object' ? JSON.stringify(one) : String(one));
  for (const [name, one] of Object.entries(Object(value))) {
    for (const part of [one].flat()) form.append(name, textOf(part));
  }
  return { body: form, headers: {} };
}

/** True for a value that no header and no path can hold, whatever the style; docs/guides/openapi.md says which. */
const cannotBeSent = ({ in: place, style }: DocumentParameter, value: unknown): boolean => {
  const all = typeof value === 'object' && value !== null ? Object.values(value) : [value];
  if (place === 'path' && (all.length === 0 || all.some((one) => one === '' || one === null))) return true;
  if (place === 'header')
    return all.some((one) => /[^\x20-\x7e]/.test(String(one)) || (typeof value === 'object' && /,/.test(String(one))));
  const delimiter = style.includes('pipe') ? '|' : style.includes('space') ? ' ' : undefined;
  return delimiter !== undefined && JSON.stringify(value).includes(delimiter);
};

test('each document has a licence that is named', () => {
  for (const { licence } of sources) expect(licence).toMatch(/^(?:MIT|Apache-2\.0|ISC|that of this package)(?:,|$)/);
});

describe.each(casesOf(sources).map(({ name }) => name))('%s', (name) => {
  const document = JSON.parse(readFileSync(`${folder}/${name}.json`, 'utf8')) as { paths: Record<string, Fields> };
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, one]) =>
      method === 'parameters' ? [] : [{ path, method, item, operation: one as Fields }],
    ),
  );

  // The mock serves no template with text beside a parameter, as docs/guides/openapi.md says.
  const served = operations.filter(({ path }) => !/[^/]\{|\}[^/]/.test(path));

  test('loads in the guard and as a table of parameters', () => {
    for (const { operation } of operations) operation['x-permission'] = { action: 'a:b', resource: 'r' };
    const guards = operationGuards(createGuard(createClient({ url: 'http://guard.test' })), document);
    expect(permissionsOf(document)).toHaveLength(operations.length);
    expect(guards.unguarded()).toHaveLength(operations.length);
    // The cast: the command has read the styles.
    expect(() => parameterTable(stylesOf(document) as ParameterStyles)).not.toThrow();
  });

  test('takes generated calls and answers', async () => {
    const mock = await createMock();
    let reply: { status: number; headers?: Record<string, string>; body?: unknown } = { status: 204 };
    let seen: { path: Fields; query: Fields } | undefined;
    const handlers: Record<string, Fields> = {};
    for (const { path, method } of served) {
      handlers[path] = {
        ...handlers[path],
        [method]: (request: typeof seen) => {
          seen = request;
          return reply;
        },
      };
    }
    mock.service('svc', handlers as ServiceHandlers, {
      document,
      validate: openApiValidator(),
      authentication: 'optional',
    });
    const route = createClient({ ...mock.connection, retry: 0 }).service('svc');
    const api = typed<never>(route, { parameters: parameterTable(stylesOf(document) as ParameterStyles) });
    const calls = api as unknown as Record<string, (path: string, options: object) => Promise<unknown>>;
    const [requests, responses] = [
      new Schemas(document as never, 'request'),
      new Schemas(document as never, 'response'),
    ];
    const problems = new Set<string>();
    const others = [otherValidator(document, 'readOnly'), otherValidator(document, 'writeOnly')] as const;
    let compared = 0;
    let passed = 0;
    for (const { path, method, item, operation } of served) {
      const key = `${method.toUpperCase()} ${path}`;
      const parameters = readParameters(document, key, item.parameters ?? [], operation.parameters ?? []);
      const { content } = follow(document, operation.requestBody) ?? {};
      const [[type, media] = []] = Object.entries(Object(content) as Record<string, Fields>);
      const all = Object.entries(operation.responses as Fields);
      const [code = '204', response] =
        all.find(([one]) => /^2\d\d$/.test(one)) ?? all.find(([one]) => one === 'default') ?? all[0] ?? [];
      const status = /^\d{3}$/.test(code) ? Number(code) : 200;
      const answers200 = Object.entries(Object(follow(document, response)?.content) as Record<string, Fields>);
      const [answerType, answerMedia] =
        status === 204 ? [] : (answers200.find(([kind]) => /json/.test(kind)) ?? answers200[0] ?? []);
      const seed = { numRuns: partOf(20), seed: 60 };
      const pick = (of: string, schema: unknown, isRequest: boolean, isSent = (_: unknown) => true) => {
        const all = fc.sample(valuesOf(document, schema, isRequest ? 'readOnly' : 'writeOnly'), {
          ...seed,
          numRuns: 20,
        });
        const schemas = isRequest ? requests : responses;
        const valid = all.filter((value) => isSent(value) && schemas.check(value, schema).length === 0);
        for (const value of valid) {
          const other = schema === undefined ? undefined : others[isRequest ? 0 : 1](value, schema);
          if (other !== undefined) compared += 1;
          if (other === false) problems.add(`${key}: another validator refuses a value of ${of}`);
        }
        if (valid.length === 0) problems.add(`${key}: no generated value of ${of} is valid`);
        return valid;
      };
      const values = parameters.map(
        (one) => [one, pick(`${one.in} ${one.name}`, one.schema, true, (value) => !cannotBeSent(one, value))] as const,
      );
      const bodies = type === undefined ? [] : pick('the body', media?.schema, true);
      const answers =
        answerType === undefined || !/json/.test(answerType) ? [] : pick('the answer', answerMedia?.schema, false);
      if (
        [
          type !== undefined && bodies,
          answerType !== undefined && /json/.test(answerType) && answers,
          ...values.map(([one, some]) => one.required && some),
        ].some((some) => some && some.length === 0)
      )
        continue;
      for (let run = 0; run < seed.numRuns; run += 1) {
        const [body, answer] = [bodies[run % bodies.length], answers[run % answers.length]];
        const chosen = values.filter(
          ([one, all], index) => all.length > 0 && (one.required || (run + index) % 2 === 0),
        );
        const given: Fields = Object.fromEntries(
          chosen.map(([one, all]) => [`${one.in} ${one.name}`, all[run % all.length]]),
        );
        const of = (place: string) =>
          Object.fromEntries(
            parameters.flatMap((one) =>
              one.in === place && `${place} ${one.name}` in given ? [[one.name, given[`${place} ${one.name}`]]] : [],
            ),
          );
        const text = typeof answer === 'string' || /json/.test(answerType ?? '') ? JSON.stringify(answer) : 'text';
        reply = {
          status,
          ...(answerType !== undefined && {
            headers: { 'content-type': answerType.replace('*/*', 'text/plain') },
            body: text,
          }),
        };
        const sent = type === undefined ? { headers: {} } : encodeBody(type, body);
        const options = {
          path: of('path'),
          query: of('query'),
          cookie: of('cookie'),
          ...sent,
          headers: { ...of('header'), ...sent.headers },
        };
        seen = undefined;
        try {
          await calls[method]?.(path, options);
          passed += 1;
          for (const one of parameters) {
            if (one.in !== 'path' && one.in !== 'query') continue;
            const value = given[`${one.in} ${one.name}`];
            const isClear = variantsOf(document, one.schema).length === 1;
            const got = (seen as unknown as Record<string, Fields>)[one.in]?.[one.name];
            const isEmpty =
              value === undefined || (typeof value === 'object' && (value === null || Object.keys(value).length === 0));
            if (isClear && !isEmpty && JSON.stringify(got) !== JSON.stringify(value))
              problems.add(
                `${key} ${one.in} ${one.name} ${one.style}: ${JSON.stringify(value)} became ${JSON.stringify(got)}`,
              );
          }
        } catch (error) {
          if ((error as HttpError).status === status && status >= 300 && status !== 500) continue;
          const { message, status: code } = error as HttpError;
          problems.add(
            `${key}: ${code ?? ''} ${message.replace(/^.* failed: /, '').slice(0, 240)} ${String(mock.requests.at(-1)?.thrown ?? '')}`,
          );
        }
      }
    }
    expect([...problems]).toEqual(refused[name] ?? []);
    expect(passed).toBeGreaterThan(0);
    expect(compared).toBeGreaterThan(0);
  });
});
