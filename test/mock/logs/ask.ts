import fc from 'fast-check';
import type { Mock } from '../../../src/mock/index.js';
import { userNames } from '../../policy/support/arbitrary.ts';

/** Names that a log has to escape, and some that look like parts of a line. */
const odd = [
  'na "me"\n\u001b[31m\u202e=x y',
  '","message":"Access Granted","user":"',
  ' user=root',
  'INF Access Granted',
  '\u0000\u007f\u0085\u2028\\n',
  '<&>',
  '😀\ud7ff',
  '',
];
const text = fc.oneof(
  fc.constantFrom(...odd),
  // The reader takes U+FFFD for broken UTF-8, and counts the line.
  fc.string({ unit: 'binary', maxLength: 12 }).map((name) => name.toWellFormed().replaceAll('\ufffd', '?')),
);
const user = fc.oneof(fc.constantFrom(...userNames), text);
const item = fc.record(
  {
    action: fc.oneof(fc.constantFrom('a:a', 'a:ab', 'b:a', 'b:ab'), text),
    resource: fc.oneof(fc.constantFrom('a', 'a:b', 'ab:7', 'b'), text),
    context: fc.constant({ parameters: { ip: { values: ['10.0.0.1', '"<\u2028'] }, '\n"': { values: [] } } }),
  },
  { requiredKeys: ['action', 'resource'] },
);
export const questionArb = fc.record({
  user: fc.option(user, { nil: undefined }),
  roles: fc.array(fc.oneof(fc.constantFrom('r', 'u'), text), { maxLength: 2 }),
  items: fc.array(item, { minLength: 1, maxLength: 3 }),
  way: fc.constantFrom('evaluate', 'evaluate-many', 'evaluate-token', 'evaluate-token-many'),
});
export type Question = typeof questionArb extends fc.Arbitrary<infer Q> ? Q : never;

/** Asks a question, one request for each item or all at once, and returns the effects. */
export async function ask(mock: Mock, { user, roles, items, way }: Question): Promise<string[]> {
  const subject = way.includes('token')
    ? { token: await mock.tokens.issue({ user: user ?? null, groups: roles }) }
    : { user, roles };
  const post = async (body: object): Promise<{ effect: string; items?: { effect: string }[] }> => {
    const answer = await mock.fetch(`http://mock.test/_integration/authorization/v1/${way}`, {
      method: 'POST',
      body: JSON.stringify({ ...subject, ...body }),
    });
    if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  if (way.endsWith('-many')) return ((await post({ items })).items ?? []).map(({ effect }) => effect);
  const effects: string[] = [];
  for (const one of items) effects.push((await post(one)).effect);
  return effects;
}
