import { encodedFormsOf, formsOf, quotes, shortest } from './forms.js';

/** How much of a text is searched. Nothing behind it is ever shown. */
const searchedLength = 4_096;
const shownLength = 500;
// Base64 of 8 characters has at least as many, escaped or not.
const maybeEncoded = /[^\s.,:;'"()]{10}/;

/** Makes a text of a server fit for an open field of an error; empty where it must not be shown. */
export type ShowText = (text: string) => string;

/**
 * Makes the filter of one failed call. A text is left out whole if it quotes one of the secrets, its first 8
 * characters, or one of the `values` that were sent. If the answer itself may hold a secret (`confidential`), runs of
 * 16 and more characters that tokens are made of are left out, too. Control and bidirectional characters become spaces.
 *
 * @param values null if they are too many to look for: nothing is shown.
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
