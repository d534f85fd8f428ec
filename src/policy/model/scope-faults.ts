import { listFields, type ScopeRequest } from './scope-forms.js';

/** The problem of a text that is not a name in ArangoDB: a scope with it would silently grant nothing. */
const nameFault = (text: string): string | undefined =>
  /\p{Cc}|\p{Cs}|^\s|\s$/u.test(text)
    ? 'must not hold a control character or half a surrogate pair, nor begin or end with a space'
    : undefined;

/** The problem of the name of a database, which a resource must hold as one segment. */
export const databaseFault = (text: string): string | undefined =>
  text === ''
    ? 'must not be empty'
    : /[:*/]/.test(text)
      ? 'must not hold ":", "*" or "/"; see pattern'
      : nameFault(text);

/** The problem of `<database>/<name>`. */
export function pairFault(text: string): string | undefined {
  if (/[:*]/.test(text)) return 'must not hold ":" or "*"; see pattern';
  return /^[^/]+\/[^/]+$/.test(text) ? nameFault(text) : 'expected "<database>/<name>"';
}

/** The fields of a request of which exactly one is given. */
export const scopeFields = ['database', ...listFields, 'pattern', 'everything'] as const;

/** The problem of a request whose fields are valid by themselves. */
export function requestFault(request: ScopeRequest): string | undefined {
  const fields = scopeFields.filter((field) => request[field] !== undefined);
  if (fields.length !== 1) return `expected one of ${scopeFields.join(', ')}; got ${fields.join(', ') || 'none'}`;
  if (request.admin !== undefined && fields[0] !== 'database') return 'expected admin only with database';
  return listFields.some((field) => request[field]?.length === 0) ? `${fields[0]}: expected at least one` : undefined;
}
