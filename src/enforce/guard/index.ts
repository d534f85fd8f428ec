// Guards for services: a request in, a granted or refused access out; and the verification of tokens.

export type { Authenticate, TokenOwner } from '../../policy/model/subject.js';
export type { KeyedClient } from '../token/keyed-client.js';
export { isUnknownKeyError, UnknownKeyError } from '../token/unknown-key-error.js';
export {
  createVerifier,
  type Verifier,
  type VerifierClock,
  type VerifierKeys,
  type VerifyOptions,
  type VerifyTime,
  verifyToken,
} from '../token/verify.js';
export type { Access, Granted, ItemAccess, ManyAccess, ManyGranted, ManyRefused, Refused } from './access.js';
export { type PlainResponse, toPlain, toResponse } from './answers.js';
export { createGuard } from './create-guard.js';
export type { Guard } from './guard.js';
export { guardOperation, type OperationCheck, type OperationOptions } from './guard-operation.js';
export type { GuardOptions } from './guard-options.js';
export type { GuardQuestion } from './guard-question.js';
export type { GuardedRequest, RequestHeaders, RequestLike } from './guarded-request.js';
export type { OperationAccess, OperationGranted, OperationPublic } from './operation-access.js';
export * from './operation-guards.js';
export {
  type PermissionsDecided,
  type PermissionsHandler,
  type PermissionsOptions,
  type PermissionsRefused,
  type PermissionsResponse,
  permissionsHandler,
} from './permissions-handler.js';
export type { OnShadow, ShadowCounts, ShadowDifference } from './shadow.js';
export type { AuthenticatingDecider, GuardSource, TokenDecider } from './source.js';
