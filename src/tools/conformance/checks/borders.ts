import { remember } from '../../../base/lib/remember.js';
import type { Policy, Role } from '../../../policy/index.js';
import { parseSegments, type Segment } from '../../../policy/model/pattern.js';
import type { SentenceName } from '../sentences.js';
import { authz, type Check, post } from './check.js';
import type { KnownState } from './state-checks.js';

/** A value at a border of a pattern, inside or outside, and the sentence that says which. */
type Border = { readonly value: string; readonly says: SentenceName };

/** A value that a segment matches. */
const inside = ({ kind, text }: Segment): string =>
  kind === 'suffix' ? `v${text}` : kind === 'exact' ? text : `${text}v`;

/** Values of a segment at its borders: the shortest inside, one character less, another case, and an empty one. */
function segmentBorders({ kind, text }: Segment): string[] {
  if (kind === 'any') return ['', 'v w', ':v', 'v::w', 'v:'];
  const short = kind === 'suffix' ? [...text].slice(1).join('') : [...text].slice(0, -1).join('');
  const other = text === text.toUpperCase() ? text.toLowerCase() : text.toUpperCase();
  return [text, `${text}v`, `v${text}`, short, other, ''];
}

/** Values at the borders of a pattern: of each segment, with one segment more and less, and with an empty one. */
function bordersOf(pattern: string): readonly Border[] {
  if (pattern === '*') return ['v', 'v:w', 'v::w', ':', ''].map((value) => ({ value, says: 'star' }));
  const segments = parseSegments(pattern);
  const base = segments.map(inside);
  const whole = (parts: readonly string[]) => parts.join(':');
  const isOpen = segments.at(-1)?.kind === 'any';
  const says = isOpen ? 'lastStar' : 'segments';
  const borders: Border[] = [
    { value: whole(base), says },
    { value: whole([...base, 'w']), says },
    { value: whole([...base, 'w', 'x']), says },
    { value: whole([...base, '']), says },
    { value: whole(['', ...base]), says },
  ];
  if (base.length > 1) {
    const [first = '', ...rest] = base;
    borders.push({ value: whole(base.slice(0, -1)), says }, { value: whole([first, '', ...rest]), says });
  }
  segments.forEach((segment, index) => {
    const last = index === segments.length - 1;
    for (const part of segmentBorders(segment)) {
      borders.push({ value: whole(base.with(index, part)), says: last && isOpen ? 'lastStar' : 'segments' });
    }
  });
  return borders;
}

/** A question at a border, and the sentence that its answer shows. */
type BorderQuestion = { readonly action: string; readonly resource: string; readonly says: SentenceName };

/** The questions at the borders of a policy's statements: each border of one pattern with the middle of the other. */
function* questionsOf({ statements = [] }: Policy): Generator<BorderQuestion> {
  for (const { effect, actions: all = [], resources: allResources = [] } of statements) {
    const [actions, resources] = [all, allResources].map((some) =>
      some.filter(({ length }) => length <= longestPattern),
    );
    const [action, resource] = [actions, resources].map((some) => some?.slice(0, 1).flatMap(bordersOf)[0]?.value);
    if (action === undefined || resource === undefined) continue;
    yield { action, resource, says: effect === 'Deny' ? 'denyWins' : 'scope' };
    for (const pattern of actions ?? [])
      for (const { value, says } of bordersOf(pattern)) yield { action: value, resource, says };
    for (const pattern of resources ?? []) {
      for (const { value, says } of bordersOf(pattern)) yield { action, resource: value, says };
    }
  }
}

/** The longest pattern whose borders are asked about, and the most borders of a user that are looked at. */
const longestPattern = 1_000;
const mostBorders = 20_000;

/** The most questions in one request, and the most requests for one user. */
const itemsInRequest = 50;
const mostRequests = 8;

/** The policies that decide about a user: those of the roles, and the scopes of the bindings. */
function policiesOf({ policies, roles, bindings }: KnownState, user: string): Policy[] {
  return bindings
    .filter((binding) => binding.user === user)
    .flatMap(({ role, scope }) => {
      const named = (roles.get(role)?.policies ?? []).flatMap((name) => policies.get(name) ?? []);
      return scope ? [...named, scope] : named;
    });
}

function chunks<T>(items: readonly T[]): T[][] {
  const count = Math.min(Math.ceil(items.length / itemsInRequest), mostRequests);
  return Array.from({ length: count }, (_, i) => items.slice(i * itemsInRequest, (i + 1) * itemsInRequest));
}

/** The first questions at the borders of a policy's statements, each action and resource once. */
function distinctQuestions(policy: Policy): BorderQuestion[] {
  const distinct = new Map<string, BorderQuestion>();
  let seen = 0;
  for (const question of questionsOf(policy)) {
    if (++seen > mostBorders) break;
    remember(distinct, JSON.stringify([question.action, question.resource]), () => question);
  }
  return [...distinct.values()];
}

/** Evaluations at the borders of every statement that decides about a user, by the sentences that they show. */
export function borderChecks(state: KnownState, users: readonly string[]): Check[] {
  return users.flatMap((user) => {
    const statements = policiesOf(state, user).flatMap((policy) => policy.statements ?? []);
    const questions = distinctQuestions({ statements });
    const bySentence = Map.groupBy(questions, ({ says }) => says);
    const [first] = questions;
    // One item that a statement decides, and one that nothing matches.
    if (first !== undefined) bySentence.set('evaluateMany', [first, { ...first, action: 'verify:nothing' }]);
    return [...bySentence].map(([says, questions]): Check => {
      const items = questions.map(({ action, resource }) => ({ action, resource }));
      const steps = chunks(items).map((some) => post(`${authz}/evaluate-many`, { user, items: some }));
      return { name: `borders/${says}/${user}`, says, steps };
    });
  });
}

/** A role of a request counts in one fidelity only: the question shows which. */
export function roleChecks({ policies, roles }: KnownState): Check[] {
  const questions = [...roles].flatMap(([role, { policies: names = [] }]: [string, Role]) => {
    const statement = names
      .flatMap((name) => policies.get(name)?.statements ?? [])
      .find(({ effect }) => effect === 'Allow');
    const question = statement && questionsOf({ statements: [statement] }).next().value;
    return question === undefined ? [] : [{ role, action: question.action, resource: question.resource }];
  });
  return questions.slice(0, 3).map(({ role, action, resource }) => ({
    name: `evaluate/role/${role}`,
    says: 'rolesCount',
    steps: [post(`${authz}/evaluate`, { user: '{{stranger}}', roles: [role], action, resource })],
  }));
}
