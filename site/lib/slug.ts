/**
 * The anchor of a heading by GitHub's rule, for which the links in the pages are written. A heading of the same text
 * further down gets a number from the caller.
 */
export const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
