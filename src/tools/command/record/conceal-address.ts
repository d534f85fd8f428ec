import { splitReferences } from '../../../mock/recordings/references.js';

/** Encodes the text around references for a URL. */
export const encodeAround = (text: string): string =>
  splitReferences(text)
    .map((part, index) => (index % 2 === 0 ? encodeURIComponent(part.toWellFormed()) : part))
    .join('');
