// Guards for services: a request in, a granted or refused access out.
export type {
  MethodsOf,
  OperationDocument,
  OperationIn,
  OperationMethod,
  OperationOf,
  ParametersOf,
  PathValues,
} from '../document/operation-types.js';
export type { EvaluatorSubject } from '../policy/model.js';
export type { Authenticate, TokenOwner } from '../policy/subject.js';
export type { Access, Granted, ItemAccess, ManyAccess, ManyGranted, ManyRefused, Refused } from './access.js';
export { type Answer, toAnswer, toResponse } from './answers.js';
export { createGuard } from './create-guard.js';
export type { Guard } from './guard.js';
export {
  guardOperation,
  type OperationAccess,
  type OperationCheck,
  type OperationGranted,
  type OperationOptions,
  type OperationPublic,
} from './guard-operation.js';
export type { GuardOptions } from './guard-options.js';
export type { GuardedRequest, RequestHeaders, RequestLike } from './guarded-request.js';
export {
  type PermissionsAnswer,
  type PermissionsHandler,
  type PermissionsOptions,
  permissionsHandler,
} from './permissions-handler.js';
export type { Question } from './question.js';
export type { AuthenticatingDecider, GuardSource, TokenDecider } from './source.js';
