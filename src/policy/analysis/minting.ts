import type { EvaluatorSubject } from '../index.js';
import type { Reason } from './analysis-types.js';
import { regionContains } from './grants.js';
import { type Alternative, type Kind, Model } from './read-evaluator.js';
import { toRegion, workOfObject } from './region.js';
import { Space } from './space.js';

const action = 'authentication:CreateToken';

/**
 * Returns a function that finds the access of the tokens that can be created by a user, or by subjects that name
 * a group or role, and the reasons for which they can be created. Nothing checks the groups of tokens. In
 * documented fidelity the check is about the caller, which may be such a token; else about the user and the groups of
 * the token. Source: docs/wire.md, "Who may create tokens" and "Groups".
 */
export function mintingOf(model: Model) {
  const { evaluator, rolesCount, space } = model;
  const gate = new Model(evaluator, new Space(space.work, { action, resource: '*' }));
  const users = model.users();
  const roles = model.names();
  return (kind: Kind, name: string): readonly [readonly Alternative[], readonly Reason[]] => {
    const ofOne = kind === 'user' && !rolesCount;
    const creator: EvaluatorSubject = kind === 'user' ? { user: name, roles: ofOne ? roles : [] } : { roles: [name] };
    const areas = gate.areas(gate.alternatives(creator));
    const because = areas.flatMap((area) =>
      ofOne && !regionContains(toRegion(area), { action, resource: name }) ? [] : area.because,
    );
    if (because.length === 0) return [[], because];
    if (ofOne) return [model.alternatives(creator), because];
    // A resource that is not a user is any other name, or a pattern that others match, too.
    const isAny = rolesCount || areas.some((area) => !users.has(area.pair.resource.key));
    // Any user will do for the groups and roles, but not one whose own roles hide them.
    const tokens: EvaluatorSubject[] = [{ roles: isAny ? roles : [] }];
    const left = new Set(users.keys());
    const addTokensOf = (caller: EvaluatorSubject) => {
      for (const other of left) {
        space.work.spend(workOfObject);
        if (!evaluator.isAllowed({ ...caller, action, resource: other })) continue;
        left.delete(other);
        tokens.push({ user: other, roles: isAny ? [] : roles });
      }
    };
    addTokensOf(creator);
    // The list grows while it is read: each token may create others.
    if (rolesCount) for (const token of tokens) addTokensOf(token);
    return [tokens.flatMap((token) => model.alternatives(token)), because];
  };
}
