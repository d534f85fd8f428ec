import { anyText, fieldsOf, optional, type Reader, readObject, wholeNumber } from '../../base/lib/readers.js';
import { hasMethod } from '../../base/lib/values.js';
import {
  type AccessEvaluation,
  action,
  context,
  type Entity,
  type EntityAction,
  entity,
  searched,
} from './entities.js';
import { mostItems, questionOf } from './evaluate.js';
import type { PolicyQuestion, ToQuestion } from './mapping.js';
import { type PagePosition, type PageTokens, searchKey } from './page-tokens.js';
import { PdpRefusal, readBody } from './pdp-refusal.js';

/** The kind of entities that a search lists. */
export type SearchKind = 'subject' | 'resource' | 'action';

/** A search: the searched entity has its type only, and an action search has no action. */
export interface AccessSearch {
  readonly subject: Pick<Entity, 'type'> & Partial<Entity>;
  readonly resource: Pick<Entity, 'type'> & Partial<Entity>;
  readonly action?: EntityAction | undefined;
  readonly context?: Readonly<Record<string, unknown>> | undefined;
}

/** The entities that a search may list: a list, or a function of the search. */
export type CandidateSource<T> =
  | readonly T[]
  | ((search: AccessSearch) => Iterable<T> | AsyncIterable<T> | Promise<Iterable<T>>);

/** The candidates of each kind of search. */
export interface Candidates {
  readonly subjects?: CandidateSource<Entity>;
  readonly resources?: CandidateSource<Entity> | undefined;
  readonly actions?: CandidateSource<EntityAction>;
}

/** The state that searches list from, and the mapping. */
export interface Searcher {
  readonly toQuestion: ToQuestion;
  readonly candidates: Candidates;
  readonly tokens: PageTokens;
  /** The users with bindings. */
  users(): readonly string[];
  /** The actions of all policies; they may be patterns. */
  actions(): Iterable<string>;
  isAllowed(question: PolicyQuestion): boolean;
}

const page = optional(
  fieldsOf({
    token: optional(anyText),
    limit: optional(wholeNumber('a whole number', 0, Number.MAX_SAFE_INTEGER)),
    properties: optional(readObject),
  }),
);

const bodies: { readonly [Kind in SearchKind]: Reader<AccessSearch & { readonly page?: PageRequest | undefined }> } = {
  subject: fieldsOf({ subject: searched, action, resource: entity, context, page }),
  resource: fieldsOf({ subject: entity, action, resource: searched, context, page }),
  action: fieldsOf({ subject: entity, resource: entity, context, page }),
};

type PageRequest = { readonly token?: string | undefined; readonly limit?: number | undefined };

/** The names of actions in policies: second segments without a wildcard. */
function* actionNames(searcher: Searcher): Generator<EntityAction> {
  for (const pattern of searcher.actions()) {
    const [, name = '', ...more] = pattern.split(':');
    if (name !== '' && more.length === 0 && !name.startsWith('*') && !name.endsWith('*')) yield { name };
  }
}

/** The candidates of the options; without them the users or actions of the state. */
async function candidatesOf(kind: SearchKind, search: AccessSearch, searcher: Searcher) {
  const source = searcher.candidates[`${kind}s`];
  if (source !== undefined) {
    const candidates: (Entity | EntityAction)[] = [];
    const list: unknown = typeof source === 'function' ? await source(search) : source;
    if (typeof list !== 'object' || !(hasMethod(list, Symbol.iterator) || hasMethod(list, Symbol.asyncIterator)))
      throw new TypeError(`candidates.${kind}s: expected a list`);
    for await (const candidate of list as Iterable<Entity | EntityAction>) candidates.push(candidate);
    return candidates;
  }
  if (kind === 'action') return [...actionNames(searcher)];
  const { type } = search.subject;
  return kind === 'subject' ? searcher.users().map((id) => ({ type, id })) : [];
}

const candidateReaders = { subject: entity, resource: entity, action };

/** A result with the key that it is sorted by. */
type Candidate = { readonly key: string; readonly found: Entity | EntityAction };

/** The candidates of the searched type after a position, each once, in the order of their keys. */
async function sortedCandidates(kind: SearchKind, search: AccessSearch, searcher: Searcher, after: string) {
  const byKey = new Map<string, Candidate>();
  const type = kind === 'action' ? undefined : search[kind].type;
  for (const candidate of await candidatesOf(kind, search, searcher)) {
    const read = readCandidate(kind, candidate);
    if (type !== undefined && (read as Entity).type !== type) continue;
    const key = searchKey(kind, read);
    if (key > after) byKey.set(key, { key, found: read });
  }
  return [...byKey.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** @throws TypeError for a candidate of another form. */
function readCandidate(kind: SearchKind, candidate: unknown): Entity | EntityAction {
  const read: Reader<Entity | EntityAction> = candidateReaders[kind];
  try {
    return readBody(candidate, read);
  } catch {
    throw new TypeError(`candidates.${kind}s: expected ${kind === 'action' ? '{ name }' : '{ type, id }'}`);
  }
}

/** Decides whether a candidate is a result. */
function isResult(
  kind: SearchKind,
  search: AccessSearch,
  candidate: Entity | EntityAction,
  searcher: Searcher,
): boolean {
  // The cast: the searched part is the candidate, and the others were read from the body.
  const question = questionOf(searcher, { ...search, [kind]: candidate } as unknown as AccessEvaluation);
  if (question === undefined) return false;
  // A user of the state is listed only if the mapping maps the subject to this user.
  const isOther = kind === 'subject' && !searcher.candidates.subjects && question.user !== (candidate as Entity).id;
  return !isOther && searcher.isAllowed(question);
}

async function readPosition(pageRequest: PageRequest, key: string, tokens: PageTokens): Promise<PagePosition> {
  const { token, limit } = pageRequest;
  if (!token) return { after: '', limit: Math.min(limit ?? mostItems, mostItems) };
  const position = await tokens.read(token, key);
  if (position === undefined) throw new PdpRefusal(400, 'page.token: is not valid for this search, or has expired');
  if (limit !== undefined && Math.min(limit, mostItems) !== position.limit) {
    throw new PdpRefusal(400, 'page.limit: differs from the limit of the first page');
  }
  return position;
}

/** Answers a search: the candidates that the state allows, a page at a time. */
export async function search(kind: SearchKind, body: unknown, searcher: Searcher) {
  const { page: pageRequest, ...question } = readBody(body, bodies[kind]);
  const key = readKey(kind, question);
  const { after, limit } = await readPosition(pageRequest ?? {}, key, searcher.tokens);
  const results: Candidate[] = [];
  let isMore = false;
  for (const candidate of await sortedCandidates(kind, question, searcher, after)) {
    if (!isResult(kind, question, candidate.found, searcher)) continue;
    isMore = results.length === limit;
    if (isMore) break;
    results.push(candidate);
  }
  const answer = { results: results.map((result) => result.found) };
  if (pageRequest === undefined && !isMore) return answer;
  const last = { after: results.at(-1)?.key ?? after, limit };
  const next = isMore ? await searcher.tokens.issue(last, key) : '';
  return { page: { next_token: next, count: results.length }, ...answer };
}

/** @throws PdpRefusal for a search that is nested too deep for the stack. */
function readKey(kind: SearchKind, question: AccessSearch): string {
  try {
    return searchKey(kind, question);
  } catch {
    throw new PdpRefusal(400, 'is nested too deep');
  }
}
