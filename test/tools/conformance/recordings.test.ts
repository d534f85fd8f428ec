import { expect, test } from 'vitest';
import { createMock } from '../../../src/mock/index.ts';
import { askAll } from '../../../src/tools/conformance/ask-questions.ts';
import { authenticationChecks } from '../../../src/tools/conformance/checks/authentication-checks.ts';
import { authorizationChecks } from '../../../src/tools/conformance/checks/authorization-checks.ts';
import { routingChecks } from '../../../src/tools/conformance/checks/routing.ts';
import { writingChecks } from '../../../src/tools/conformance/checks/writing.ts';
import { compareAnswers } from '../../../src/tools/conformance/compare-answers.ts';
import { importKey, keylessTokens, signTokens } from '../../../src/tools/conformance/minted-tokens.ts';
import { fill, type QuestionAnswer, valueAt } from '../../../src/tools/conformance/question-exchange.ts';
import { askMock } from '../../../src/tools/conformance/side.ts';
import { observe, readVectors, throughFetch } from '../../support/replay.ts';
import { config, secret } from './support/faulty.ts';

// The comparison of `conformance`, fed with the recordings of the real services.

const vectors = readVectors('vectors');
const key = (request: unknown) => JSON.stringify(request);

test.each(vectors.map((vector) => [vector.name, vector] as const))(
  'a mock and a server that answers from the recording %s do not differ',
  async (_name, vector) => {
    await using mock = await createMock({ ...vector.config, now: vector.at });
    const send = throughFetch(mock);
    // In order, because the same question may have another answer later.
    const answers = vector.steps.map(({ request, response }) => [key(request), response] as const);
    const recorded = async (request: unknown): Promise<QuestionAnswer> => {
      const index = answers.findIndex(([one]) => one === key(request));
      const [[, answer] = ['', { status: 0 }]] = answers.splice(index, 1);
      return answer;
    };
    const texts = new Map<string, string>();
    for (const { request, volatile, capture = {} } of vector.steps) {
      const deployment = fill(await recorded(request), texts);
      const own = await observe(send, fill(request, texts), deployment.headers);
      if (own === undefined) continue;
      for (const [name, pointer] of Object.entries(capture)) texts.set(name, String(valueAt(own.body, pointer)));
      expect(compareAnswers(own, fill(deployment, texts), volatile)).toEqual([]);
    }
  },
);

test('a mock of another fidelity differs from most recordings', async () => {
  const differing: string[] = [];
  for (const vector of vectors) {
    // Policies that this fidelity refuses are in one of them.
    const mock = await createMock({ ...vector.config, fidelity: 'documented', now: vector.at }).catch(() => undefined);
    if (mock === undefined) continue;
    await using open = mock;
    const send = throughFetch(open);
    for (const { request, response, volatile } of vector.steps) {
      if (JSON.stringify(request).includes('{{')) continue;
      const own = await observe(send, request, response.headers);
      if (own && compareAnswers(own, response, volatile).length > 0) differing.push(vector.name);
    }
  }
  expect(new Set(differing).size).toBeGreaterThan(vectors.length / 2);
});

test('the words of errors that checks compare are recorded ones', async () => {
  const wordsOf = (body: unknown) =>
    String((body as { message?: string } | undefined)?.message).replace(/(["'])[^"']*\1/g, '…');
  const recorded = new Set<string>();
  for (const { steps } of vectors) {
    for (const { response, volatile } of steps)
      if (!volatile?.includes('/message')) recorded.add(wordsOf(response.body));
  }
  await using mock = await createMock(config);
  const own = await importKey(secret);
  const good = await own.sign({}, JSON.stringify({ iss: 'arangodb' }));
  const now = Date.now();
  const texts = new Map([
    ...(await signTokens(own, now, 'nobody')),
    ...(await keylessTokens('HS256', now, 'nobody')),
    ...Object.entries({
      good,
      forged: good.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
      stranger: 'nobody',
      run: 'run',
    }),
  ]);
  const unrecorded: string[] = [];
  for (const check of [...routingChecks, ...authenticationChecks, ...authorizationChecks, ...writingChecks]) {
    const answers = await askAll(check, askMock(mock), texts);
    check.steps.forEach(({ request, volatile }, index) => {
      const { status = 0, body } = answers[index] ?? {};
      if (status < 400 || body === undefined || volatile?.includes('/message')) return;
      // The wording depends on the value, as it does in the recordings.
      if (!recorded.has(wordsOf(body))) unrecorded.push(`${check.name} ${request.path}: ${wordsOf(body)}`);
    });
  }
  expect(unrecorded).toEqual([]);
});
