import { counted } from '../../../base/lib/counted.js';
import type { Omitted } from '../../../permissions/index.js';
import { formatOmitted } from '../../../permissions/model/writable.js';
import { warn } from '../shared/output.js';
import type { Surroundings } from '../shared/surroundings.js';

/** Prints what a file does not hold, beside the result. */
export function warnOfOmitted(omitted: readonly Omitted[], surroundings: Surroundings): void {
  for (const line of formatOmitted(omitted)) warn(surroundings, line);
}

/** Prints that the bindings of other users are not in the result. */
export function warnOfUsers(users: readonly string[] | 'all', surroundings: Surroundings): void {
  if (users === 'all') return;
  const bindings =
    users.length === 0 ? 'no bindings of users' : `the bindings of ${counted(users.length, 'named user')}`;
  warn(surroundings, `${bindings} were read; the services cannot list users, see --users and --grpc`);
}
