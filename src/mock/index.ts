export type { MockConfig, RouteSettings, ServiceConfig, ServiceSettings, Settings } from './config/mock-config.js';
export { createMock } from './create-mock.js';
export type {
  CustomHandler,
  CustomRequest,
  CustomResponse,
  StreamedRequest,
  StreamHandler,
} from './kit/custom-handler.js';
export type { MockExplanation } from './kit/explain-decision.js';
export type * from './kit/hosted/service-types.js';
export type * from './kit/hosted/typed-handlers.js';
export type { LoggedRequest, RequestSummary } from './kit/logged-request.js';
export type { RequestListener, RequestLog } from './kit/request-log.js';
export type { ShownHeaders } from './kit/shown-headers.js';
export type { TokenKit } from './kit/token-kit.js';
export type { WaitOptions } from './kit/waiters.js';
export type { PlatformLogOptions } from './logs/platform-log-options.js';
export type { Mock } from './mock.js';
export type { MockConnection, MockGatewayConnection } from './mock-connection.js';
export type { MockFault } from './options/fault.js';
export type { Forgery, IssueRequest } from './options/issue-request.js';
export type { RequestFilter } from './options/request-filter.js';
export type { PlatformVersion } from './platform-version.js';
export type { MockClock } from './state/mock-clock.js';
export type { MockSnapshot } from './state/snapshots.js';
export type {
  Fetch,
  HandleRequest,
  NeutralBody,
  NeutralRequest,
  NeutralResponse,
  ReadableHeaders,
  RequestStream,
  ResponseHeaders,
} from './wire/http.js';
export type { Params, RequestDecision } from './wire/mock-exchange.js';
