import type { OperationMethod } from './operation-types.js';

/** The HTTP methods of operations. */
export const operationMethods = [
  'get',
  'put',
  'post',
  'delete',
  'options',
  'head',
  'patch',
] as const satisfies readonly OperationMethod[];
