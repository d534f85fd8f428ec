import type { ConsoleEvent } from './api.js';

/** Distributes events to the pages that are connected. */
export interface News {
  /** True if at least one page is connected; otherwise no event need be prepared. */
  readonly isFollowed: boolean;
  emit(event: ConsoleEvent): void;
  /** The events from now on, until the signal aborts or the news is closed. */
  follow(signal: AbortSignal): AsyncIterable<ConsoleEvent>;
  close(): void;
}

/** The maximum number of rows in one event. */
const mostRows = 500;
/**
 * The maximum number of undelivered events per page, with up to 10,000 rows. A page that is further behind gets
 * `reset`.
 */
const mostWaiting = 20;

/** Queues the events that a connected page has not read yet. */
class Follower {
  #waiting: ConsoleEvent[] = [];
  #wake: (() => void) | undefined;
  #over = false;

  add(event: ConsoleEvent): void {
    if (event.type !== 'requests') {
      // A newer event of the same kind replaces a queued one, and after `reset` the page reads the log itself.
      const isOver = ({ type }: ConsoleEvent) => type === event.type || (event.type === 'reset' && type === 'requests');
      this.#waiting = this.#waiting.filter((waiting) => !isOver(waiting));
      this.#waiting.push(event);
    } else {
      const at = this.#waiting.findLastIndex(({ type }) => type === 'requests' || type === 'reset');
      const last = this.#waiting[at];
      if (last?.type === 'requests' && last.rows.length < mostRows) {
        this.#waiting[at] = { type: 'requests', rows: [...last.rows, ...event.rows] };
      } else {
        if (this.#waiting.length >= mostWaiting) this.add({ type: 'reset' });
        this.#waiting.push(event);
      }
    }
    this.#wake?.();
  }

  end(): void {
    this.#over = true;
    this.#waiting = [];
    this.#wake?.();
  }

  async *events(): AsyncGenerator<ConsoleEvent, void, undefined> {
    while (!this.#over) {
      const event = this.#waiting.shift();
      if (event !== undefined) yield event;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }
}

export function createNews(): News {
  const followers = new Set<Follower>();
  let closed = false;
  return {
    get isFollowed() {
      return followers.size > 0;
    },
    emit(event) {
      for (const follower of followers) follower.add(event);
    },
    // Not an async generator: it must queue events from this call on, not from the first `next()`.
    follow(signal) {
      const follower = new Follower();
      // Outside of the generator, which never resumes if its reader stops reading.
      const end = (): void => {
        followers.delete(follower);
        follower.end();
      };
      if (closed || signal.aborted) end();
      else followers.add(follower);
      signal.addEventListener('abort', end, { once: true });
      return (async function* () {
        try {
          yield* follower.events();
        } finally {
          signal.removeEventListener('abort', end);
          end();
        }
      })();
    },
    close() {
      closed = true;
      for (const follower of followers) follower.end();
    },
  };
}
