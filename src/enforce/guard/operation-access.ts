import { readArgument, withMethods } from '../../base/lib/readers.js';
import { isObject } from '../../base/lib/values.js';
import type { FoundOperation } from '../../base/openapi-document/find-operation.js';
import type { OperationIn } from '../../base/openapi-document/operation-types.js';
import { type Granted, type Refused, toRefused } from './access.js';
import { answer } from './answers.js';
import type { Guard } from './guard.js';
import type { GuardedRequest } from './guarded-request.js';

/** Access to an operation was granted. */
export interface OperationGranted<Paths, Operation = OperationIn<Paths>> extends Granted {
  /** The operation and the values of its path parameters, decoded. */
  readonly operation: Operation;
}

/** The operation is public: neither a token nor a permission was checked. */
export interface OperationPublic<Paths, Operation = OperationIn<Paths>> {
  readonly allowed: true;
  readonly status: 200;
  readonly operation: Operation;
  readonly token?: undefined;
  readonly user?: undefined;
  readonly groups?: undefined;
  readonly response?: undefined;
}

/** The result of a check by `guardOperation` or `operationGuards`. */
export type OperationAccess<Paths, Operation = OperationIn<Paths>> =
  | OperationGranted<Paths, Operation>
  | OperationPublic<Paths, Operation>
  | (Refused & { readonly operation?: undefined });

/** Refuses a request of any caller. */
export function denied(request: unknown, why: string): Refused {
  const method = isObject(request) && typeof request.method === 'string' ? request.method.toUpperCase() : undefined;
  return toRefused(answer(403), method, new TypeError(`denied: ${why}`));
}

/** Checks that a value has the checks of a guard. */
export const readChecks = (guard: Guard): Guard =>
  readArgument(guard, 'guard', withMethods<Guard>('a guard of createGuard', 'check', 'checkMany'));

/** Checks all permissions that an operation needs at once, and adds the operation to the access. */
export async function checkAll(
  guard: Guard,
  request: GuardedRequest,
  { operation: { method, path }, values, needs }: FoundOperation,
): Promise<OperationAccess<unknown>> {
  const [need, ...others] = needs;
  let granted: object = { allowed: true, status: 200 };
  if (others.length > 0) {
    const access = await guard.checkMany(request, needs);
    if (!access.allowed) return access.refused();
    granted = access;
  } else if (need) {
    const access = await guard.check(request, need);
    if (!access.allowed) return access;
    granted = access;
  }
  const operation = { method, path, parameters: Object.fromEntries(values) };
  // The descriptors keep the token, which is not enumerable.
  const fields: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(granted);
  delete fields.items;
  delete fields.refused;
  // The cast: access was granted, or not needed.
  return Object.defineProperties({ operation }, fields) as OperationAccess<unknown>;
}
