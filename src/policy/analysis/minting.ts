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
  const users = [...model.users().keys()];
  const roles = model.names();
  return (kind: Kind, name: string): readonly [readonly Alternative[], readonly Reason[]] => {
    const ofOne = kind === 'user' && !rolesCount;
    const asked: EvaluatorSubject =
      kind !== 'user' ? { roles: [name] } : rolesCount ? { user: name } : { user: name, roles };
    const because = gate.areas(gate.alternatives(asked)).flatMap((area) => {
      return ofOne && !regionContains(toRegion(area), { action, resource: name }) ? [] : area.because;
    });
    if (because.length === 0 || ofOne) return [because.length > 0 ? model.alternatives(asked) : [], because];
    // Any user will do for the groups and roles.
    const tokens: EvaluatorSubject[] = [{ roles }];
    const found = new Set<string>();
    const addTokensOf = (caller: EvaluatorSubject) => {
      for (const other of users) {
        space.work.spend(workOfObject);
        if (found.has(other) || !evaluator.isAllowed({ ...caller, action, resource: other })) continue;
        found.add(other);
        tokens.push({ user: other });
      }
    };
    addTokensOf(asked);
    if (rolesCount) for (const token of tokens) addTokensOf(token);
    return [tokens.flatMap((token) => model.alternatives(token)), because];
  };
}
