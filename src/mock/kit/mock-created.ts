/**
 * The name of a global function that is called with each new mock, before `createMock` resolves: for tools that collect
 * what the mocks of a test suite decide.
 */
export const mockCreated: unique symbol = Symbol.for('arango-services.mock');
