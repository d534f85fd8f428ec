import { formsOf, quotes } from './forms.js';

/** How much of a text is searched. Nothing behind it is ever shown. */
const searchedLength = 4_096;
const shownLength = 500;

/** Makes a text of a server fit for an open field of an error; empty where it must not be shown. */
export type ShowText = (text: string) => string;

/**
 * Makes the filter of one failed call. A text that quotes one of the secrets is left out whole. Where the answer
 * itself may hold a secret (`confidential`), runs of 16 and more characters that tokens are made of are left out, too.
 * Control and bidirectional characters become spaces.
 */
export function secretFilter(secrets: readonly string[], confidential: boolean): ShowText {
  const forms = secrets.filter((secret) => secret !== '').flatMap(formsOf);
  return (text) => {
    const searched = text.slice(0, searchedLength);
    if (quotes(searched, forms)) return '';
    const line = searched.slice(0, 2 * shownLength).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ');
    return (confidential ? line.replace(/[\w.~+/%=-]{16,}/g, '…') : line).slice(0, shownLength).trim();
  };
}
