// The program for edge-runtime: a script that listens to requests.
import { answer } from './worker.ts';

interface FetchEvent {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}

// The cast: lib.dom lacks this event.
addEventListener('fetch', (event) => {
  const fetched = event as unknown as FetchEvent;
  fetched.respondWith(answer(fetched.request));
});
