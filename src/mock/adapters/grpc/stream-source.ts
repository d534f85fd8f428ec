import type { InternalMock, Mock } from '../../mock.js';
import type { StreamSource } from '../../server/streams.js';

/** What the streams of a mock's pool are made from. */
export function streamSourceOf(mock: Mock): StreamSource {
  // The cast: there is no other way to a mock than `createMock`.
  return (mock as InternalMock).streamSource;
}
