// `createMock` imports this module only for `mock.platformLog` and `mock.onDecision`: other mocks do not load it.

export { startPlatformLog } from './platform-log.js';
export { startOnDecision } from './start-on-decision.js';
