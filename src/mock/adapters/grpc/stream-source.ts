import type { InternalMock, Mock } from '../../mock.js';
import type { StreamSource } from '../../server/streams.js';

/** The source of a mock's pool streams. */
export function streamSourceOf(mock: Mock): StreamSource {
  // The cast: every mock comes from `createMock`.
  return (mock as InternalMock).streamSource;
}
