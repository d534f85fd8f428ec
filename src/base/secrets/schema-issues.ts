import type { SchemaIssue } from '../errors.js';
import { formatIssuePath } from '../lib/text/paths.js';
import { quotesValue, type ShowText } from './filter.js';
import { hasTokenForm } from './token-form.js';

/** An issue of a Standard Schema. */
export interface StandardIssue {
  readonly message: string;
  readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
  /** The kind of value that zod, valibot and arktype expect. */
  readonly expected?: unknown;
}

const unfit = 'does not fit';

const kindOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

/**
 * Returns the issues of an invalid body in loggable form: each path, and the schema's message unless it quotes the
 * body. Libraries put the received value into their messages (`received "…"`); then the message says only what was
 * expected. A path omits a name that is a secret of the call, or has the form of a token.
 */
export function showIssues(issues: readonly StandardIssue[], body: unknown, show: ShowText): SchemaIssue[] {
  // A failed validation without issues is still a failure.
  const all: readonly StandardIssue[] = issues.length > 0 ? issues : [{ message: '' }];
  return all.map(({ message, path: parts = [], expected }) => {
    const keys = parts.map((part) => (typeof part === 'object' ? part.key : part));
    const value = keys.reduce<unknown>(
      (above, key) => (Object(above) === above && Object.hasOwn(Object(above), key) ? Object(above)[key] : undefined),
      body,
    );
    const mayShow = (text: string) => !hasTokenForm(text) && !quotesValue(text, value);
    const path = keys.map((key) => (show(String(key)) === String(key) && !hasTokenForm(String(key)) ? key : '…'));
    // arktype begins its messages with the path.
    const own = formatIssuePath(keys);
    const text = own && message.startsWith(`${own} `) ? message.slice(own.length + 1) : message;
    const instead =
      typeof expected === 'string' && expected !== 'unknown' ? `expected ${expected}, received ${kindOf(value)}` : '';
    return {
      message: [text, instead].map((wording) => (mayShow(wording) ? show(wording) : '')).find(Boolean) ?? unfit,
      path,
    };
  });
}
