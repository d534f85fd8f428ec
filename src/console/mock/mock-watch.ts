import type { LoggedRequest } from '../../mock/kit/logged-request.js';
import type { Mock } from '../../mock/mock.js';
import type { Evaluator } from '../../policy/index.js';
import type { RequestRow } from '../api.js';
import { createNews, type News } from '../news.js';
import { createNumberedRequests, type NumberedRequests } from './numbered-requests.js';
import { clockState } from './test-kit.js';

/** The changes of a mock, as news. */
export interface MockWatch {
  readonly news: News;
  readonly numbered: NumberedRequests;
  /** Grows with each change of policies, roles and bindings. */
  revision(): number;
  /** A copy of the policies that no later change touches. */
  policies(): Evaluator;
  /** Adds the requests since the last update, and sends news of them. */
  update(): void;
  close(): void;
}

/**
 * Watches a mock.
 * @param seen called with each request.
 * @param toRow the row of a request.
 */
export function watchMock(
  mock: Mock,
  seen: (request: LoggedRequest) => void,
  toRow: (request: LoggedRequest) => RequestRow,
): MockWatch {
  const { platform } = mock.parts;
  const news = createNews();
  let revision = 1;
  let copied: { readonly of: number; readonly evaluator: Evaluator } | undefined;

  function policies(): Evaluator {
    if (copied?.of !== revision) copied = { of: revision, evaluator: platform.store.evaluator().clone() };
    return copied.evaluator;
  }
  const numbered = createNumberedRequests(() => mock.requests, policies);

  function update(): void {
    const { added, reset } = numbered.update();
    for (const request of added) seen(request);
    if (reset) news.emit({ type: 'reset' });
    if (added.length > 0 && news.isFollowed) news.emit({ type: 'requests', rows: added.map(toRow) });
  }

  function changed(): void {
    revision += 1;
    news.emit({ type: 'state', revision });
  }

  // A restore ends the epoch before it changes anything, so the news comes a turn later.
  let epoch: AbortSignal;
  const restored = (): void => {
    revision += 1;
    queueMicrotask(() => {
      follow();
      revision += 1;
      numbered.update();
      news.emit({ type: 'reset' });
    });
  };
  const follow = (): void => {
    epoch = mock.epoch;
    epoch.addEventListener('abort', restored, { once: true });
  };
  follow();
  update();
  const { policies: policyPool, roles, bindings } = platform.store.pool;
  const undo = [
    mock.onRequest(update),
    platform.clock.watch(() => news.emit({ type: 'clock', clock: clockState(platform.clock) })),
    ...[policyPool, roles, bindings].map(({ changes }) => changes.watch(changed)),
    () => epoch.removeEventListener('abort', restored),
  ];
  return {
    news,
    numbered,
    revision: () => revision,
    policies,
    update,
    close() {
      for (const stop of undo) stop();
      news.close();
    },
  };
}
