import { encodedFormsOf, formsOf, quotes, shortest } from './forms.js';

/** The length of text that is searched. Anything beyond it is never shown. */
const searchedLength = 4_096;
const shownLength = 500;
// Base64 of 8 characters is at least this long, escaped or not.
const maybeEncoded = /[^\s.,:;'"()]{10}/;

/** Sanitizes a server's text for an enumerable field of an error; empty if it must not be shown. */
export type ShowText = (text: string) => string;

/**
 * Creates the filter for a failed call. A text is omitted entirely if it quotes a secret, the first 8 characters of
 * one, or one of the sent `values`. If the response itself may contain secrets (`confidential`), runs of 16 or more
 * token characters are removed, too. Control and bidirectional characters become spaces.
 *
 * @param values null if there are too many to search for; then no text is shown.
 */
export function secretFilter(
  secrets: readonly string[],
  confidential: boolean,
  values: readonly string[] | null = [],
): ShowText {
  const starts = secrets.map((secret) => secret.trim().slice(0, shortest));
  const all = [...secrets, ...starts, ...(values ?? [])].filter(Boolean);
  const forms = all.flatMap(formsOf);
  let encoded: readonly string[];
  return (text) => {
    const searched = text.slice(0, searchedLength);
    if (values === null || quotes(searched, forms)) return '';
    if (maybeEncoded.test(searched)) {
      encoded ??= all.flatMap(encodedFormsOf);
      if (quotes(searched, encoded)) return '';
    }
    const line = searched.replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ');
    return (confidential ? line.replace(/[\w.~+/%=-]{16,}/g, '…') : line).slice(0, shownLength).trim();
  };
}
