/** The name of a global function that is called with each new mock, for tools that collect what mocks decide. */
export const mockCreated: unique symbol = Symbol.for('arango-services.mock');
