// Services that guard themselves: a request in, an access or an answer out.
export type { EvaluatorSubject } from '../policy/model.js';
export type { Access, Granted, ItemAccess, ManyAccess, ManyGranted, Refused } from './access.js';
export { type Answer, toAnswer, toResponse } from './answers.js';
export { createGuard, type Guard, type Question } from './guard.js';
export type { GuardOptions } from './options.js';
export type { GuardedRequest, RequestHeaders, RequestLike } from './request.js';
export type { Authenticate, GuardSource, TokenDecider, TokenOwner } from './source.js';
