export type { Clock } from './clock.js';
export type { CustomHandler, CustomReply, CustomRequest } from './custom.js';
export type { Fault } from './faults.js';
export type { Fetch, Handle } from './fetch.js';
export type { LoggedRequest, RequestFilter, RequestListener, RequestLog } from './inspect.js';
export type { Forgery, MockSnapshot, TokenKit, TokenRequest } from './kit.js';
export { createMock, type Mock, type MockConnection } from './mock.js';
export type { MockConfig, Settings } from './settings.js';
export type { HeaderSource, NeutralBody, NeutralRequest, NeutralResponse } from './wire.js';
