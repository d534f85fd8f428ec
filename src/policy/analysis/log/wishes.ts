import { remember } from '../../../base/lib/remember.js';
import type { Evaluator } from '../../index.js';
import { covers } from '../../model/overlap.js';
import { actionFault, Pattern, parseSegments, resourceFault } from '../../model/pattern.js';
import { nameFault, userFault } from '../../model/predefined-names.js';
import type { Question } from './log-question.js';
import type { Cause } from './log-types.js';
import type { Tally } from './tally.js';

/** The patterns that a change may grant instead of the names of the log. */
export type Generalise = 'resources' | 'statements';

/** A question that would be denied, with the decisions about it. */
export type DeniedQuestion = { readonly question: Question; readonly tally: Tally; readonly cause: Cause };

/**
 * The reason for which a change does not grant a denied question. `explicit-deny`: a Deny was written on purpose, so no
 * grant bypasses it; change its statement. `empty-user`, `empty-action`: the services always deny these. `no-user`: a
 * binding needs a user. `user`: a user whose name the services cannot store in a binding, or whose binding would count
 * for others. `unknown-user`: a user whom `grantTo` does not name. `action`, `resource`: a name that no pattern matches
 * alone.
 */
export type NotGrantedReason =
  | 'explicit-deny'
  | 'empty-user'
  | 'empty-action'
  | 'no-user'
  | 'user'
  | 'unknown-user'
  | 'action'
  | 'resource';

/** A denied question that a change does not grant. */
export interface LeftQuestion {
  readonly denied: DeniedQuestion;
  readonly reason: NotGrantedReason;
  readonly cause: Cause;
}

/** An action on resources that a user asks for. */
export interface Wish {
  readonly user: string;
  readonly action: string;
  /** The resource, or a pattern if the change is generalised. */
  readonly resource: string;
  readonly questions: readonly DeniedQuestion[];
}

/** The narrowest granted patterns for resources, by the namespace of the action. */
class GrantedPatterns {
  readonly #byNamespace = new Map<string, Map<string, Pattern>>();
  readonly #found = new Map<string, string>();

  constructor(evaluator: Evaluator) {
    for (const name of evaluator.policies()) {
      for (const { effect, actions, resources } of evaluator.policy(name)?.statements ?? []) {
        if (effect !== 'Allow') continue;
        for (const namespace of new Set(actions.map(namespaceOf))) {
          const patterns = remember(this.#byNamespace, namespace, () => new Map<string, Pattern>());
          for (const text of resources) if (!patterns.has(text)) patterns.set(text, new Pattern(text));
        }
      }
    }
  }

  /** The pattern to grant: the resource itself if none matches, or `*` if no pattern matches it alone. */
  find(action: string, resource: string): string {
    const namespace = namespaceOf(action);
    const key = JSON.stringify([namespace, resource]);
    return remember(this.#found, key, () => this.#narrowest(namespace, resource));
  }

  #narrowest(namespace: string, resource: string): string {
    const patterns = this.#byNamespace.get(namespace) ?? new Map<string, Pattern>();
    const [first, ...rest] = [...patterns].flatMap(([text, pattern]) => (pattern.matches(resource) ? text : [])).sort();
    if (first === undefined) return exact(resource, resourceFault(resource)) ?? '*';
    return rest.reduce((best, text) => (covers(parseSegments(best), parseSegments(text)) ? text : best), first);
  }
}

const namespaceOf = (action: string): string => action.slice(0, Math.max(0, action.indexOf(':')));

/** The name as a pattern; undefined if it would match more than itself, or is not valid. */
const exact = (text: string, fault: string | undefined): string | undefined =>
  text.includes('*') || fault !== undefined ? undefined : text;

/** Options of `collectWishes`. */
export interface WishOptions {
  readonly generalise?: Generalise | undefined;
  /** Default: all users. */
  readonly grantTo?: readonly string[] | undefined;
}

/** Arranges the questions that a change can grant as wishes, and gives the reasons for the others. */
export function collectWishes(
  denied: readonly DeniedQuestion[],
  evaluator: Evaluator,
  { generalise, grantTo }: WishOptions,
): { readonly wishes: readonly Wish[]; readonly left: readonly LeftQuestion[] } {
  const granted = generalise === undefined ? undefined : new GrantedPatterns(evaluator);
  const forbidden = findForbidden(denied);
  const receivers = grantTo && new Set(grantTo);
  const left: LeftQuestion[] = [];
  const byUser = new Map<string, Map<string, Map<string, DeniedQuestion[]>>>();
  for (const denial of denied) {
    const { action, resource, subject } = denial.question;
    const wanted = granted ? granted.find(action, resource) : exact(resource, resourceFault(resource));
    const cause = forbidden.get(keyOf(denial)) ?? denial.cause;
    const isUnknown = receivers?.has(subject.user ?? '') === false;
    const reason = reasonToLeave(denial, cause, { wanted, isUnknown });
    if (subject.user === undefined || wanted === undefined || reason !== undefined) {
      left.push({ denied: denial, reason: reason ?? 'no-user', cause });
    } else {
      const byAction = remember(byUser, subject.user, () => new Map<string, Map<string, DeniedQuestion[]>>());
      const byResource = remember(byAction, action, () => new Map<string, DeniedQuestion[]>());
      remember(byResource, wanted, (): DeniedQuestion[] => []).push(denial);
    }
  }
  const wishes = [...byUser].flatMap(([user, byAction]) =>
    [...byAction].flatMap(([action, byResource]) =>
      [...(granted ? widest(byResource) : byResource)].map(
        ([resource, questions]): Wish => ({ user, action, resource, questions }),
      ),
    ),
  );
  return { wishes, left };
}

/** Leaves out patterns that others cover; these have their questions, too. */
function widest(byResource: ReadonlyMap<string, readonly DeniedQuestion[]>) {
  const byPattern = new Map<string, DeniedQuestion[]>();
  const parsed = [...byResource.keys()].sort().map((text) => ({ text, segments: parseSegments(text) }));
  for (const [resource, questions] of byResource) {
    const segments = parseSegments(resource);
    const above = parsed.filter((other) => covers(other.segments, segments));
    const wide = above.find((pattern) => above.every((other) => covers(pattern.segments, other.segments)));
    remember(byPattern, wide?.text ?? resource, (): DeniedQuestion[] => []).push(...questions);
  }
  return byPattern;
}

const keyOf = ({ question: { subject, action, resource } }: DeniedQuestion): string =>
  JSON.stringify([subject.user, action, resource]);

/** The explicit Denies by user, action and resource, whatever the roles of the requests. */
function findForbidden(denied: readonly DeniedQuestion[]): ReadonlyMap<string, Cause> {
  const explicit = denied.filter(({ cause }) => cause.reason === 'explicit-deny');
  return new Map(explicit.map((denial) => [keyOf(denial), denial.cause]));
}

function reasonToLeave(
  { question }: DeniedQuestion,
  cause: Cause,
  { wanted, isUnknown }: { readonly wanted: string | undefined; readonly isUnknown: boolean },
): NotGrantedReason | undefined {
  const { subject, action } = question;
  const { reason } = cause;
  if (reason === 'explicit-deny' || reason === 'empty-user' || reason === 'empty-action') return reason;
  const { user } = subject;
  if (user === undefined) return 'no-user';
  if ((nameFault(user) ?? userFault(user)) !== undefined) return 'user';
  if (isUnknown) return 'unknown-user';
  if (exact(action, actionFault(action)) === undefined) return 'action';
  return wanted === undefined ? 'resource' : undefined;
}
