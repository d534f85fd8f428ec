import { asGiven, optionsOf, type Reader, type ReadersOf } from '../../base/lib/readers.js';

/** Options of `handlers`. */
export interface HandlersOptions {
  /**
   * The origin that the application calls, like `'https://db.example.com'`. Default: the mock's own,
   * `mock.connection.url`. For services on several origins, call `handlers` once for each.
   */
  readonly url?: string | undefined;
  /**
   * The origins whose pages may call, like `['http://localhost:3000']`. Needed if CORS is checked between the page and
   * msw, as jsdom does. It does not help in happy-dom, whose preflights have no headers: call the page's own origin
   * there, or disable its check. Default: none.
   */
  readonly cors?: readonly string[] | undefined;
}

export const readHandlersOptions = optionsOf({
  url: asGiven,
  // `createCors` checks it.
  cors: asGiven as Reader<readonly string[]>,
} satisfies ReadersOf<HandlersOptions>);
