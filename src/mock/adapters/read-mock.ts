import { readArgument, withMethods } from '../../base/lib/readers.js';
import type { Mock } from '../mock.js';

/** @throws InvalidArgumentError naming `mock`, for a value that is not a mock. */
export const readMock = (mock: Mock): Mock =>
  readArgument(mock, 'mock', withMethods<Mock>('a mock of createMock', 'handle', 'onDispose'));
