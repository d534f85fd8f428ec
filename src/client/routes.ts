// A client of routes alone, for pages whose size counts. Other types are those of the main entry.

export type { PathSegments, Query, QueryValue } from '../base/lib/url.js';
export type { CallOptions } from './connection/call.js';
export type {
  CallEvent,
  CloseOptions,
  ConnectionChanges,
  ConnectionOptions,
  FreshTokenOptions,
} from './connection/connection-options.js';
export type { Clock } from './connection/credentials-contract.js';
export type { HeadersSource } from './connection/headers.js';
export type { ResponseType, RouteResponse } from './connection/response.js';
export type { StandardSchema } from './connection/schema.js';
export type { Transport } from './connection/transport.js';
export type { Route } from './route.js';
export { createRouteClient, RouteClient, type RouteClientOptions, type ServiceOptions } from './route-client.js';
export type { AllowedResponse, RequestOptions, RouteOptions } from './route-types.js';
