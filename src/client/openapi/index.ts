// Calls, permissions and operations by the OpenAPI document of a service.
export type * from '../../base/openapi-document/operation-types.js';
export type { ParameterPlace, ParameterStyle } from '../../base/openapi-document/parameter-style.js';
export {
  type AllowedOperationsClient,
  type AllowedOperationsOptions,
  allowedOperations,
} from './allowed-operations.js';
export { type OperationPermission, permissionsOf, policyForOperations } from './operation-permissions.js';
export { type GivenCall, type ParameterTable, type TypedRouteOptions, typed } from './typed.js';
export type * from './typed-types.js';
