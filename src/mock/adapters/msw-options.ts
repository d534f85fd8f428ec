import { asGiven, optionsOf, type Reader, type ReadersOf, readFlag } from '../../base/lib/readers.js';

/** Options of `handlers`. */
export interface HandlersOptions {
  /**
   * The origin that the application calls, like `'https://db.example.com'`. Default: that of `mock.connection`, or with
   * `gateway` of `mock.gateway.connection`. For services on several origins, call `handlers` once for each.
   */
  readonly url?: string | undefined;
  /**
   * The origins whose pages may call, like `['http://localhost:3000']`. Needed if CORS is checked between the page and
   * msw, as jsdom does. It does not help in happy-dom, whose preflights have no headers: call the page's own origin
   * there, or disable its check. Default: none.
   */
  readonly cors?: readonly string[] | undefined;
  /** Answers as the gateway alone, as `mock.gateway` does: `/_integration/*` is not routed. Default false. */
  readonly gateway?: boolean | undefined;
}

export const readHandlersOptions = optionsOf({
  url: asGiven,
  // `createCors` checks it.
  cors: asGiven as Reader<readonly string[]>,
  gateway: readFlag,
} satisfies ReadersOf<HandlersOptions>);
