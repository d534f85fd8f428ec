import { expect, test } from 'vitest';
import { createEvaluator } from '../../../src/policy/index.ts';
import { everything } from '../../support/calls.ts';
import { createLibrary, may, questions, toEvaluation } from './support/library.ts';
import { servePdp } from './support/pdp-server.ts';

const alice = { type: 'user', id: 'alice' };
const read = { name: 'read' };
const book = { type: 'book', id: '7' };
const evaluator = () =>
  createEvaluator({
    policies: {
      readers: { statements: [{ effect: 'Allow', actions: ['book:read', 'book:list'], resources: ['book:*'] }] },
    },
    roles: { reader: { policies: ['readers'] } },
    bindings: [
      { user: 'alice', role: 'reader', scope: everything },
      { user: 'a:b', role: 'reader', scope: everything },
    ],
  });

test('each evaluation of the library has the decision of its matrix', async () => {
  const pdp = await servePdp(createLibrary());
  expect(questions.length).toBeGreaterThanOrEqual(40);
  const wrong: unknown[] = [];
  for (const question of questions) {
    const { status, body } = await pdp.post('/access/v1/evaluation', toEvaluation(question));
    const expected = { decision: may(question.user, question.name, question.type, question.id) };
    if (status !== 200 || JSON.stringify(body) !== JSON.stringify(expected)) wrong.push({ question, status, body });
  }
  expect(wrong).toEqual([]);
});

test.each([
  ['an allowed question', { subject: alice, action: read, resource: book }, true],
  ['unknown fields are ignored', { subject: { ...alice, x: 1 }, action: read, resource: book, y: [] }, true],
  [
    'properties and context are ignored',
    {
      subject: { ...alice, properties: { a: 1 } },
      action: { ...read, properties: {} },
      resource: book,
      context: { ip: '::1' },
    },
    true,
  ],
  ['another action', { subject: alice, action: { name: 'write' }, resource: book }, false],
  ['another subject', { subject: { type: 'user', id: 'bob' }, action: read, resource: book }, false],
  ['another type of subjects', { subject: { type: 'service', id: 'alice' }, action: read, resource: book }, false],
  ['an empty subject', { subject: { type: 'user', id: '' }, action: read, resource: book }, false],
  ['an empty type of subjects', { subject: { type: '', id: 'alice' }, action: read, resource: book }, false],
  ['an empty type of resources', { subject: alice, action: read, resource: { type: '', id: '7' } }, false],
  ['an empty id', { subject: alice, action: read, resource: { type: 'book', id: '' } }, false],
  ['an empty action', { subject: alice, action: { name: '' }, resource: book }, false],
  ['a colon in the type', { subject: alice, action: read, resource: { type: 'book:7', id: '8' } }, false],
  ['a colon in the action', { subject: alice, action: { name: 'read:x' }, resource: book }, false],
  ['a colon in the id', { subject: alice, action: read, resource: { type: 'book', id: '7:8' } }, false],
  [
    'a colon in the user, which is not part of a pattern',
    { subject: { type: 'user', id: 'a:b' }, action: read, resource: book },
    true,
  ],
  ['half a code point', { subject: alice, action: read, resource: { type: 'book', id: '\ud800' } }, false],
  ['a wildcard as an id, which is text', { subject: alice, action: { name: '*' }, resource: book }, false],
  [
    'names of Object.prototype',
    { subject: { type: 'user', id: '__proto__' }, action: { name: 'constructor' }, resource: book },
    false,
  ],
])('%s: 200 and %o', async (_name, body, decision) => {
  const pdp = await servePdp(evaluator());
  const answer = await pdp.post('/access/v1/evaluation', body);
  expect(answer).toMatchObject({ status: 200, body: { decision } });
  expect(Object.keys(answer.body as object)).toEqual(['decision']);
  expect(answer.headers.get('content-type')).toBe('application/json');
  // A batch of one decides alike.
  const batch = await pdp.post('/access/v1/evaluations', { evaluations: [body] });
  expect(batch.body).toEqual({ evaluations: [{ decision }] });
});

test('the mapping’s options add ids as segments, and make another type of subject the user', async () => {
  const pdp = await servePdp(evaluator(), { mapping: { ids: 'segments', subjectType: 'employee' } });
  const ask = async (type: string, id: string) =>
    (
      await pdp.post('/access/v1/evaluation', {
        subject: { type, id: 'alice' },
        action: read,
        resource: { type: 'book', id },
      })
    ).body;
  expect(await ask('employee', '7:8')).toEqual({ decision: true });
  expect(await ask('employee', '')).toEqual({ decision: false });
  expect(await ask('user', '7:8')).toEqual({ decision: false });
});

test('a mapping of the caller decides with its user, roles, action and resource', async () => {
  const pdp = await servePdp(evaluator(), {
    mapping: ({ subject, action, resource, context }) =>
      subject.type === 'token' && context?.channel === 'web'
        ? {
            user: 'nobody',
            roles: [String(subject.properties?.role)],
            action: `book:${action.name}`,
            resource: `book:${resource.id}`,
          }
        : undefined,
  });
  const ask = async (role: string, context?: object) => {
    const subject = { type: 'token', id: 't', properties: { role } };
    return (await pdp.post('/access/v1/evaluation', { subject, action: read, resource: book, context })).body;
  };
  expect(await ask('reader', { channel: 'web' })).toEqual({ decision: true });
  expect(await ask('other', { channel: 'web' })).toEqual({ decision: false });
  expect(await ask('reader')).toEqual({ decision: false });
});

const no = { action: { name: 'write' } };
const yes = { action: read };
const defaults = { subject: alice, resource: book };
const decisions = (...all: boolean[]) => ({ evaluations: all.map((decision) => ({ decision })) });

test.each([
  ['execute_all by default', undefined, [yes, no, yes], decisions(true, false, true)],
  ['execute_all', 'execute_all', [no, yes, no], decisions(false, true, false)],
  ['deny_on_first_deny', 'deny_on_first_deny', [yes, no, yes], decisions(true, false)],
  ['deny_on_first_deny without a denial', 'deny_on_first_deny', [yes, yes], decisions(true, true)],
  ['permit_on_first_permit', 'permit_on_first_permit', [no, yes, no], decisions(false, true)],
  ['permit_on_first_permit without a permit', 'permit_on_first_permit', [no, no], decisions(false, false)],
])('a batch has the decisions of its semantics: %s', async (_name, evaluations_semantic, evaluations, expected) => {
  const pdp = await servePdp(evaluator());
  const options = evaluations_semantic && { evaluations_semantic };
  const { status, body } = await pdp.post('/access/v1/evaluations', { ...defaults, evaluations, options });
  expect({ status, body }).toEqual({ status: 200, body: expected });
});

test('an item replaces a default as a whole', async () => {
  const seen: unknown[] = [];
  const pdp = await servePdp(evaluator(), {
    mapping: (evaluation) => {
      seen.push(JSON.parse(JSON.stringify(evaluation)));
      return undefined;
    },
  });
  const resource = { type: 'book', id: '1', properties: { shelf: 'a' } };
  const body = {
    subject: alice,
    action: read,
    resource,
    context: { a: 1, b: 2 },
    evaluations: [
      {},
      { resource: book },
      { context: { b: 3 } },
      { subject: { type: 'user', id: 'bob' }, action: { name: 'write' } },
    ],
  };
  await pdp.post('/access/v1/evaluations', body);
  const whole = { subject: alice, action: read, resource, context: { a: 1, b: 2 } };
  expect(seen).toEqual([
    whole,
    { ...whole, resource: book },
    { ...whole, context: { b: 3 } },
    { ...whole, subject: { type: 'user', id: 'bob' }, action: { name: 'write' } },
  ]);
});

test('an invalid item is a denial with an error, and ends deny_on_first_deny', async () => {
  const pdp = await servePdp(evaluator());
  const evaluations = [yes, { ...yes, resource: { id: '8' } }, 5, { ...yes, subject: null }, yes];
  const error = (message: string) => ({ decision: false, context: { error: { status: 400, message } } });
  const items = [
    { decision: true },
    error('resource.type: expected a string, got undefined'),
    error('expected an object, got a number'),
    error('subject: expected an object, got null'),
    { decision: true },
  ];
  const all = await pdp.post('/access/v1/evaluations', { ...defaults, evaluations });
  expect(all).toMatchObject({ status: 200, body: { evaluations: items } });
  const options = { evaluations_semantic: 'deny_on_first_deny' };
  const first = await pdp.post('/access/v1/evaluations', { ...defaults, evaluations, options });
  expect(first.body).toEqual({ evaluations: items.slice(0, 2) });
});

test.each([[{}], [{ evaluations: [] }]])('without items a batch is a single evaluation: %o', async (more) => {
  const pdp = await servePdp(evaluator());
  const whole = { subject: alice, action: read, resource: book };
  expect((await pdp.post('/access/v1/evaluations', { ...whole, ...more })).body).toEqual({ decision: true });
  expect((await pdp.post('/access/v1/evaluations', { subject: alice, ...more })).status).toBe(400);
});

test('a batch of 1 000 items is answered in order, a longer one is refused', async () => {
  const pdp = await servePdp(evaluator());
  const evaluations = Array.from({ length: 1_000 }, (_, i) => ({
    subject: { type: 'user', id: i % 3 ? 'bob' : 'alice' },
  }));
  const body = { action: read, resource: book, evaluations };
  const { body: answer } = await pdp.post('/access/v1/evaluations', body);
  expect(answer).toEqual(decisions(...evaluations.map((_, i) => i % 3 === 0)));
  const longer = await pdp.post('/access/v1/evaluations', { ...body, evaluations: [...evaluations, {}] });
  expect(longer).toMatchObject({ status: 400, body: 'evaluations: holds more than 1000 items' });
});
