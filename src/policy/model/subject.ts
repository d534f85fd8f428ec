import { anyText, listOf, readOrRefuse } from '../../base/lib/readers.js';
import { isObject, isTexts, ownField, wrongKind } from '../../base/lib/values.js';
import type { EvaluatorSubject } from './model.js';

/** The owner of a valid token. Without a user it is a superuser only if `superuser` is true. */
export interface TokenOwner {
  readonly user?: string | undefined;
  readonly groups: readonly string[];
  readonly superuser?: true | undefined;
}

/**
 * Identifies the owner of a token. Returns an owner (like `createVerifier` and `client.authentication.validate`) or a
 * subject of policies (like a replica). A result without a user, groups or `superuser: true` means that the token is
 * invalid. A rejected promise is a failure, except a replica's `INVALID_TOKEN`.
 */
export type Authenticate = (
  token: string,
) => Promise<({ readonly valid: true } & TokenOwner) | { readonly valid: false } | EvaluatorSubject>;

/** A validated owner, with its subject for policies. */
export interface Owner extends TokenOwner {
  readonly subject: EvaluatorSubject;
}

/** An invalid token, as opposed to a failed call. */
export class NotValid {
  /** The problem of a result that has no owner although it lacks `valid: false`. It never quotes the result. */
  readonly problem: string | undefined;

  constructor(problem?: string) {
    this.problem = problem;
  }
}

/** The identity in a token or in a request. */
type Identity = { readonly user?: string | undefined; readonly groups: readonly string[] };

/**
 * True if the services treat an identity as the superuser: it has neither a user nor groups. Groups without a user are
 * a subject in documented fidelity, and the superuser in sidecar fidelity. Source: docs/wire.md, "Fidelity".
 */
export const isSuperuser = ({ user, groups }: Identity, rolesMakeSubject = true): boolean =>
  user === undefined && (groups.length === 0 || !rolesMakeSubject);

/** Returns the subject of an identity in policies. */
export function subjectOf({ user, groups }: Identity, superuser: boolean): EvaluatorSubject {
  if (user !== undefined) return { user, roles: groups };
  return superuser ? { superuser } : { roles: groups };
}

/** Frozen, because a cache keeps the owner, and a decider that adds roles must not affect later questions. */
const copyGroups = (groups: readonly unknown[]): readonly unknown[] =>
  groups.length === 0 ? noGroups : Object.freeze([...groups]);

/** Shared, because most owners have no groups. */
const noGroups: readonly string[] = Object.freeze([]);

const names = listOf(anyText);

/** Describes a value that is not a list of strings; undefined for a valid list. */
const faultOfNames = (value: unknown, field: string): string =>
  String(readOrRefuse(value, names, field, (at, problem) => `${at}: ${problem}`));

const noSubject = 'the answer has neither a user nor groups, and does not say superuser: true';

/**
 * Reads the result of an `authenticate` function: own fields only, and each field once. Returns a copy.
 * @throws TypeError for a result of another kind, and for a user whose groups or roles are not a list of strings: that
 * is a mistake of this program, not of its caller.
 */
export function readOwner(said: unknown): Owner | NotValid {
  if (!isObject(said)) throw new TypeError(`authenticate: ${wrongKind('an owner or a subject', said)}`);
  const isVerdict = Object.hasOwn(said, 'valid');
  if (isVerdict && said.valid !== true) return new NotValid();
  const [user, superuser] = [ownField(said, 'user'), ownField(said, 'superuser')];
  if (user !== undefined && typeof user !== 'string') {
    return new NotValid(`user: ${wrongKind('a string', user)}`);
  }
  // A subject may omit its roles.
  const rawGroups = isVerdict ? ownField(said, 'groups') : (ownField(said, 'roles') ?? []);
  const groups: readonly unknown[] | undefined = Array.isArray(rawGroups) ? copyGroups(rawGroups) : undefined;
  if (!isTexts(groups)) {
    if (user === undefined && superuser !== true) return new NotValid(noSubject);
    throw new TypeError(`authenticate: ${faultOfNames(rawGroups, isVerdict ? 'groups' : 'roles')}`);
  }
  if (user === undefined && superuser !== true && groups.length === 0) return new NotValid(noSubject);
  const isSuper = superuser === true;
  const subject = subjectOf({ user, groups }, isSuper);
  return isSuper ? { user, groups, superuser, subject } : { user, groups, subject };
}
