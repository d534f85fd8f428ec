export { Client, type ClientOptions, createClient, type ServiceOptions } from './client.js';
export type { Call, CallOptions, CallSender, NamedCall } from './connection/call.js';
export { Connection } from './connection/connection.js';
export type { CallEvent, CloseOptions, ConnectionChanges, ConnectionOptions } from './connection/connection-options.js';
export type {
  AuthorizedSender,
  Clock,
  Credentials,
  CredentialsCall,
  CredentialsContext,
  TokenListener,
  WaitUntil,
} from './connection/credentials-contract.js';
export type { FetchLike } from './connection/fetch-transport.js';
export type {
  AttemptInfo,
  FixedHeaders,
  HeaderLayer,
  HeaderPart,
  HeadersInput,
  HeadersSource,
} from './connection/headers.js';
export type { IdempotencyKey } from './connection/idempotency.js';
export type { ResponseBodies, ResponseType, RouteResponse } from './connection/response.js';
export type { SchemaOutput, StandardResult, StandardSchema } from './connection/schema.js';
export type { StandardIssue } from './connection/schema-issues.js';
export type {
  Transport,
  TransportBody,
  TransportHeaders,
  TransportRequest,
  TransportResponse,
} from './connection/transport.js';
export type { PathSegments, Query, QueryValue } from './connection/url.js';
export { credentials } from './credentials/index.js';
export type { LoginOptions } from './credentials/login.js';
export type { MintedOptions } from './credentials/minted.js';
export { isSignInRequired, isWrongPassword } from './credentials/sign-in.js';
export type {
  DecisionLine,
  DecisionReason,
  DecisionRevision,
  DecisionStatement,
  DecisionSubject,
  ShadowDecision,
} from './decision-line/line.js';
export type { MadeDecision } from './decision-line/made-decision.js';
export type { OnDecision } from './decision-line/on-decision.js';
export {
  AbortError,
  ArangoServicesError,
  type CallInfo,
  CredentialsError,
  type ErrorCode,
  HttpError,
  InvalidArgumentError,
  isAbortError,
  isArangoServicesError,
  isCredentialsError,
  isHttpError,
  isInvalidArgumentError,
  isNetworkError,
  isParseError,
  isPermissionDeniedError,
  isRedirectError,
  isSchemaError,
  isTimeoutError,
  isUploadError,
  type NeededPermission,
  NetworkError,
  ParseError,
  PermissionDeniedError,
  RedirectError,
  SchemaError,
  type SchemaIssue,
  TimeoutError,
  UploadError,
} from './errors.js';
export type { ByteStream, Bytes } from './lib/web-types.js';
export type { ExplainedReason } from './policy/index.js';
export type { Decider, LocalDecider, UserSubject } from './policy/model/decider.js';
export type {
  Decision,
  Effect,
  EvaluationItem,
  ManyDecisions,
  Policy,
  Role,
  Statement,
} from './policy/model/model.js';
export { Route } from './route.js';
export type {
  AllowsOf,
  BodyArgument,
  BodyOf,
  FitForQuery,
  NoPath,
  OnlyKnown,
  RequestOptions,
  RouteAnswer,
  RouteOptions,
} from './route-types.js';
export { AuthenticationClient } from './services/authentication/client.js';
export type {
  CreatedToken,
  LoginRequest,
  PublishedKeys,
  Session,
  TokenRequest,
  Validation,
} from './services/authentication/messages.js';
export type {
  BindingName,
  BindingRequest,
  Bindings,
  UpsertedBinding,
} from './services/authorization/bindings.js';
export { AuthorizationClient, type AuthorizationOptions } from './services/authorization/client.js';
export type { Collection, ListOptions, Upserted } from './services/authorization/management.js';
export type {
  BindingChange,
  Deleted,
  EvaluateManyRequest,
  EvaluateRequest,
  Stored,
  Subject,
  UserRole,
} from './services/authorization/messages.js';
export type { ServiceCallOptions } from './services/service-client.js';
