import type { ConsoleEvent } from './api.js';

/** Events for those who follow them. */
export interface News {
  /** True if there is a follower, so that preparing an event is worth it. */
  readonly isFollowed: boolean;
  emit(event: ConsoleEvent): void;
  /** The events from now on, until the signal aborts or the news is closed. */
  follow(signal: AbortSignal): AsyncIterable<ConsoleEvent>;
  close(): void;
}

/** Rows of one event. */
const mostRows = 500;
/** Events that wait for a slow reader, with up to 10,000 rows; beyond them it starts again. */
const mostWaiting = 20;

/** The events that a follower has not taken yet. */
class Follower {
  #waiting: ConsoleEvent[] = [];
  #wake: (() => void) | undefined;
  #over = false;

  add(event: ConsoleEvent): void {
    if (event.type !== 'requests') {
      // The newest of a kind says all, and a reader that starts again reads the log itself.
      const isOver = ({ type }: ConsoleEvent) => type === event.type || (event.type === 'reset' && type === 'requests');
      this.#waiting = this.#waiting.filter((one) => !isOver(one));
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

/** Creates news without followers. */
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
    // Not a generator itself: it follows from the call on, not from the first event that is asked for.
    follow(signal) {
      const follower = new Follower();
      // Not left to the generator: it may wait for a reader who never comes back.
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
