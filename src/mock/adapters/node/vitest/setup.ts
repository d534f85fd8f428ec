import { afterAll } from 'vitest';
import type { MadeDecision } from '../../../../policy/decision-line/made-decision.js';
import { mockCreated } from '../../../kit/mock-created.js';
import type { Mock } from '../../../mock.js';
import { metaName } from './collected.js';

// Runs in each worker before each test file, because the reporter adds it to `setupFiles`.

/** Collects the decisions of the mocks that a test file creates. */
function collect(): void {
  const decisions: MadeDecision[] = [];
  // The cast: the place that `createMock` looks at.
  const place = globalThis as { [mockCreated]?: ((mock: Mock) => Promise<unknown>) | undefined };
  place[mockCreated] = (mock) => mock.onDecision((decision) => decisions.push(decision));
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the source that no fixture is needed.
  afterAll(({}, file) => {
    place[mockCreated] = undefined;
    // The cast: vitest types `meta` as read-only text fields; it is sent to the reporter as a structured clone.
    (file.meta as Record<string, unknown>)[metaName] = decisions;
  });
}

collect();
