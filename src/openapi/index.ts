// Calls, permissions and operations by the OpenAPI document of a service.
export { typed } from './typed.js';
export type { TypedAnswer, TypedCall, TypedOptions, TypedResponse, TypedRoute, TypedVerb } from './typed-types.js';
