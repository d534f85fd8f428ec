import {
  accepting,
  anyText,
  listOf,
  optionsOf,
  type Reader,
  type ReadersOf,
  readFlag,
  transform,
} from '../../../base/lib/readers.js';
import type { Policy } from '../../index.js';
import { databaseFault, pairFault, requestFault } from '../../model/scope-faults.js';
import { type ScopeRequest, scopeOfRequest } from '../../model/scope-forms.js';
import { refuse } from '../analysis-error.js';
import { pattern, readInput } from '../read-input.js';

const checked = (fault: (text: string) => string | undefined): Reader<string> =>
  transform(anyText, (text, reading) => {
    const problem = fault(text);
    return problem === undefined ? text : reading.report(problem);
  });
const pairs = listOf(checked(pairFault));

const readRequest = optionsOf({
  database: checked(databaseFault),
  admin: readFlag,
  collections: pairs,
  views: pairs,
  graphs: pairs,
  analyzers: pairs,
  pattern,
  everything: accepting<true>('true', (value) => value === true),
} satisfies ReadersOf<ScopeRequest>);

/**
 * Builds the scope of a binding to a predefined role. That of a database is the one that ArangoDB tests; the others are
 * derived from it: the same base, reading the database, and everything on what is named.
 *
 * @throws AnalysisError (code `ANALYSIS`) for none or several fields, an unknown one, or a name that is not valid.
 * @example
 * ```ts
 * import { scopeOf } from 'arango-services/analysis';
 *
 * const scope = scopeOf({ database: 'shop' });
 * const orders = scopeOf({ collections: ['shop/orders'] });
 * ```
 */
export function scopeOf(request: ScopeRequest): Policy {
  const read = readInput(request, 'request', readRequest);
  const fault = requestFault(read);
  return fault === undefined ? scopeOfRequest(read) : refuse('request', fault);
}
