import type { IssuePath } from '../../base/lib/text/paths.js';
import { covers } from '../model/overlap.js';
import { parseSegments } from '../model/pattern.js';
import { shadows } from './placed-statements.js';
import type { RoleStatements } from './role-statements.js';

const creation = parseSegments('authentication:CreateToken');

/** Finds roles that let their holders put any group into a token, since the services do not check its groups. */
export function lintMinting(
  roles: Iterable<string>,
  statements: RoleStatements,
  add: (rule: 'reaches-groups', path: IssuePath, message: string) => void,
): void {
  for (const name of roles) {
    const denies = statements.of(name, 'Deny');
    const allow = statements.of(name, 'Allow').all.find(({ parsed }) => {
      if (!parsed.actions.some((action) => covers(action, creation))) return false;
      const minting = { ...parsed, actions: [creation] };
      return denies.first(minting, (deny) => shadows(deny, minting)) === undefined;
    });
    if (allow === undefined) continue;
    const message = `may create tokens by policy ${JSON.stringify(allow.policy)}: it can reach every group`;
    add('reaches-groups', ['roles', name], message);
  }
}
