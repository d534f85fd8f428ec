import { expect, test } from 'vitest';
import { createLibrary, resources } from './support/library.ts';
import { servePdp } from './support/pdp-server.ts';

/** Appears in each malformed request, and must appear in no answer. */
const canary = 'canary-8f31c7';

const subject = { type: 'user', id: canary };
const action = { name: canary };
const resource = { type: 'book', id: canary };
const whole = { subject, action, resource };
const evaluation = '/access/v1/evaluation';
const evaluations = '/access/v1/evaluations';
const search = (kind: string) => `/access/v1/search/${kind}`;

test.each<[name: string, path: string, body: unknown, headers?: Record<string, string>]>([
  ['no body', evaluation, ''],
  ['malformed JSON', evaluation, `{"subject": "${canary}"`],
  ['an array', evaluation, [whole]],
  ['a text', evaluation, JSON.stringify(canary)],
  ['null', evaluation, 'null'],
  ['another content type', evaluation, whole, { 'content-type': 'text/plain' }],
  ['another content type that begins alike', evaluation, whole, { 'content-type': 'application/jsonl' }],
  ['no subject', evaluation, { action, resource }],
  ['no action', evaluation, { subject, resource }],
  ['no resource', evaluation, { subject, action }],
  ['a subject without a type', evaluation, { ...whole, subject: { id: canary } }],
  ['a subject without an id', evaluation, { ...whole, subject: { type: canary } }],
  ['a subject as text', evaluation, { ...whole, subject: canary }],
  ['an id as a number', evaluation, { ...whole, resource: { type: canary, id: 4711 } }],
  ['an action without a name', evaluation, { ...whole, action: { properties: { canary } } }],
  ['a name as an array', evaluation, { ...whole, action: { name: [canary] } }],
  ['properties as text', evaluation, { ...whole, subject: { ...subject, properties: canary } }],
  ['a context as an array', evaluation, { ...whole, context: [canary] }],
  ['a context of null', evaluation, { ...whole, context: null }],
  ['fields in a prototype only', evaluation, `{"__proto__": ${JSON.stringify(whole)}}`],
  ['evaluations as an object', evaluations, { ...whole, evaluations: { 0: canary } }],
  ['an unknown semantic', evaluations, { evaluations: [whole], options: { evaluations_semantic: canary } }],
  ['options as text', evaluations, { evaluations: [whole], options: canary }],
  ['a default as text', evaluations, { subject: canary, evaluations: [whole] }],
  ['a subject search without a type', search('subject'), { ...whole, subject: { id: canary } }],
  ['a subject search without an id of the resource', search('subject'), { ...whole, resource: { type: canary } }],
  ['a resource search without an action', search('resource'), { subject, resource }],
  ['an action search without a subject', search('action'), { resource }],
  ['a page as text', search('action'), { subject, resource, page: canary }],
  ['a negative limit', search('action'), { subject, resource, page: { limit: -1 } }],
  ['a limit that is not whole', search('action'), { subject, resource, page: { limit: 1.5 } }],
  ['a token as a number', search('action'), { subject, resource, page: { token: 4711 } }],
])('%s: 400 with a message that quotes nothing', async (_name, path, body, headers) => {
  const state = createLibrary();
  const pdp = await servePdp(state, { state, candidates: { resources } });
  const answer = await pdp.post(path, body, { 'x-request-id': 'id-1', ...headers });
  expect(answer.status).toBe(400);
  expect(answer.body).toEqual(expect.any(String));
  expect(answer.text).not.toContain(canary);
  expect(answer.text).not.toContain('4711');
  expect(answer.headers.get('x-request-id')).toBe('id-1');
  expect(answer.headers.get('content-type')).toBe('application/json');
});

test('bytes that are not UTF-8 are refused', async () => {
  const state = createLibrary();
  const pdp = await servePdp(state, { authenticate: 'none' });
  const text = JSON.stringify({ ...whole, subject: { type: 'user', id: 'ä' } });
  const answer = await fetch(pdp.url + evaluation, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: Uint8Array.from(text, (char) => char.charCodeAt(0)),
  });
  expect(answer.status).toBe(400);
});

test('a search that is nested too deep for the stack is refused, an evaluation is decided', async () => {
  const state = createLibrary();
  const pdp = await servePdp(state, { state });
  const deep = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
  const text = JSON.stringify({ ...whole, context: { deep: 0 } }).replace('{"deep":0}', deep);
  expect((await pdp.post(evaluation, text)).body).toEqual({ decision: false });
  expect((await pdp.post(search('action'), text)).status).toBe(400);
});
