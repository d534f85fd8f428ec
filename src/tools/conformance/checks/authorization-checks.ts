import { as, authz, type Check, check, get, getAs, permissions, post } from './check.js';

// Decisions and management that do not depend on the permissions of the deployment.

const question = { action: 'verify:ask', resource: 'verify' };
const asStranger = { user: '{{stranger}}', ...question };
const evaluate = (body: object) => post(`${authz}/evaluate`, body);
const evaluateMany = (body: object) => post(`${authz}/evaluate-many`, body);
const byToken = (token: string) => post(`${authz}/evaluate-token`, { token: `{{${token}}}`, ...question });

const evaluationChecks: readonly Check[] = [
  check('evaluate/nothing-matches', 'nothingMatches', evaluate(asStranger), evaluate({ ...asStranger, resource: '' })),
  check('evaluate/superuser', 'missingUser', evaluate(question), evaluate({ ...question, user: null })),
  check('evaluate/empty-user', 'missingUser', evaluate({ ...question, user: '' })),
  check(
    'evaluate/context',
    'context',
    evaluate({ ...asStranger, context: { a: 'b' } }),
    evaluate({ ...question, context: { a: 'b' } }),
  ),
  check('evaluate/empty-action', 'emptyAction', evaluate({ ...asStranger, action: '' })),
  check(
    'evaluate/empty-segments',
    'nothingMatches',
    ...['::', 'verify::ask', ':verify', 'verify:', '*', '*:*'].map((odd) =>
      evaluateMany({
        user: '{{stranger}}',
        items: [
          { action: 'verify:ask', resource: odd },
          { action: odd, resource: 'verify' },
        ],
      }),
    ),
  ),
  check('evaluate/empty', 'missingUser', evaluate({})),
  check('evaluate/roles', 'rolesCount', evaluate({ ...asStranger, roles: ['verify-nothing'] })),
  check('evaluate/shape', 'evaluate', evaluate({ ...asStranger, roles: [] })),
  check('evaluate-many/none', 'evaluateMany', evaluateMany({ user: '{{stranger}}', items: [] })),
  check('evaluate-many/order', 'evaluateMany', evaluateMany({ user: '{{stranger}}', items: [question, question] })),
  check('evaluate-many/superuser', 'evaluateMany', evaluateMany({ items: [question, { ...question, action: '' }] })),
  check('evaluate-token/user', 'evaluateToken', byToken('user')),
  check('evaluate-token/superuser', 'missingUser', byToken('superuser')),
  check('evaluate-token/groups', 'rolesCount', byToken('groups')),
  check('evaluate-token/foreign', 'evaluateToken', byToken('foreign')),
  check('evaluate-token/forged', 'evaluateToken', byToken('forged')),
  check('evaluate-token/expired', 'noLeeway', byToken('expired')),
  check('evaluate-token/none', 'evaluateToken', post(`${authz}/evaluate-token`, question)),
  check(
    'evaluate-token-many/user',
    'evaluateTokenMany',
    post(`${authz}/evaluate-token-many`, { token: '{{user}}', items: [question] }),
  ),
  check(
    'evaluate-token-many/foreign',
    'evaluateTokenMany',
    post(`${authz}/evaluate-token-many`, { token: '{{foreign}}', items: [] }),
  ),
];

const unknown = `${permissions}/policy/{{stranger}}`;

const managementChecks: readonly Check[] = [
  check('management/validate', 'ownPermission', post(`${permissions}/validate`, question, { headers: as('user') })),
  check(
    'management/validate-superuser',
    'ownPermission',
    post(`${permissions}/validate`, question, { headers: as('superuser') }),
  ),
  check('management/validate-no-token', 'ownPermission', post(`${permissions}/validate`, question)),
  check('management/unknown-policy', 'get', getAs('good', unknown)),
  check('management/unknown-role', 'get', getAs('good', `${permissions}/role/{{stranger}}`)),
  check('management/no-bindings', 'listBindings', getAs('good', `${permissions}/user/{{stranger}}/role`)),
  check('management/group-bindings', 'groupBindings', getAs('good', `${permissions}/group/{{stranger}}/role`)),
  check('management/denied', 'list', getAs('user', `${permissions}/policy`)),
  check('management/permission-first', 'permissionFirst', post(unknown, {}, { headers: as('user') })),
  check(
    'management/keys',
    'publishedKeys',
    getAs('good', '/_management/authentication/keys', { volatile: ['/keys', '/checksum'] }),
    get('/_management/authentication/keys', { volatile: ['/keys', '/checksum'] }),
  ),
];

export const authorizationChecks: readonly Check[] = [...evaluationChecks, ...managementChecks];
