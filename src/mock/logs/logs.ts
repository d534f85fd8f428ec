// `createMock` imports this module only for `mock.platformLog` and `mock.onDecision`: other mocks do not load it.
export { startOnDecision } from './on-decision.js';
export { startPlatformLog } from './platform-log.js';
