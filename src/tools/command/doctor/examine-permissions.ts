import { isArangoServicesError } from '../../../base/arango-services-error.js';
import { isHttpError } from '../../../base/error-guards.js';
import type { Client } from '../../../index.js';
import { type DoctorFinding, failure, ok, warning } from './doctor-finding.js';
import { answerMs } from './probe.js';

const check = 'permissions';

/** The work of an administrator, and the questions that stand for it; `*` stands for every name. */
const powers: readonly (readonly [what: string, ...questions: (readonly [action: string, resource: string])[]])[] = [
  ['list policies and roles', ['rbac:ListPolicy', ''], ['rbac:ListRole', '']],
  ['read bindings of every user', ['rbac:ListUserRoleBinding', '*']],
  [
    'write policies and roles',
    ['rbac:CreatePolicy', '*'],
    ['rbac:UpdatePolicy', '*'],
    ['rbac:CreateRole', '*'],
    ['rbac:UpdateRole', '*'],
  ],
  ['bind users', ['rbac:AssignUserRole', '*'], ['rbac:RemoveUserRole', '*'], ['rbac:ReplaceUserRoleScope', '*']],
  ['stream all of it (--grpc)', ['rbac:PoolPolicy', ''], ['rbac:PoolRole', ''], ['rbac:PoolUserRoleBinding', '']],
  ['create tokens for every user', ['authentication:CreateToken', '*']],
];

/** Asks what the caller's token may do. Nothing is written, and no token is created. */
export async function examinePermissions(client: Client): Promise<DoctorFinding> {
  const ask = ([action, resource]: readonly [string, string]) =>
    client.authorization.checkSelf({ action, resource }, { timeout: answerMs, retry: 0 });
  try {
    const answers = await Promise.all(
      powers.map(async ([what, ...questions]) => {
        const decisions = await Promise.all(questions.map(ask));
        return { what, allowed: decisions.every(({ allowed }) => allowed) };
      }),
    );
    const list = (allowed: boolean) =>
      answers
        .filter((answer) => answer.allowed === allowed)
        .map(({ what }) => what)
        .join(', ');
    const [may, not] = [list(true), list(false)];
    if (may === '')
      return warning(
        check,
        `the token may not ${not}`,
        "ask an administrator for a role, or use an administrator's token",
      );
    return ok(check, `the token may ${may}${not && `; it may not ${not}`}`);
  } catch (error) {
    if (!isArangoServicesError(error)) throw error;
    const status = isHttpError(error) ? error.status : undefined;
    if (status === 401) return warning(check, 'not asked: it needs a token', 'see token');
    if (status === 404) {
      return warning(
        check,
        'the address does not serve /_management',
        'give the address of the gateway, with the authorization service enabled',
      );
    }
    const next =
      status === 503
        ? 'the authorization service does not run, or not where the gateway looks for it'
        : 'see the message';
    return failure(check, error.message, next);
  }
}
