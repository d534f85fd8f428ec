import { looksSecret } from '../../secrets/redact-text.js';

/** A place of the page: a view and its filters, as the address's fragment holds them. */
export interface Place {
  readonly view: string;
  readonly filters: Readonly<Record<string, string>>;
  /** The state of the playground, as text; undefined on other pages. */
  readonly shared?: string | undefined;
}

const longestFilter = 512;
const sharedField = 'state';

/** True for text that may stay in the address: short, and nothing in it looks like a secret or a part of one. */
const mayBeShown = (text: string): boolean => text.length <= longestFilter && !looksSecret(text);

/** Reads a fragment like `#/requests?status=4xx`. */
export function readPlace(hash: string): Place {
  const body = hash.replace(/^#\/?/, '');
  const at = body.indexOf('?');
  const [view, query] = at < 0 ? [body, ''] : [body.slice(0, at), body.slice(at + 1)];
  // Names come from the address: without a prototype, `__proto__` is one like any other.
  const filters: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(query)) if (name !== sharedField) filters[name] = value;
  const shared = /(?:^|&)state=([\w-]*)/.exec(query)?.[1];
  return { view, filters, ...(shared === undefined ? {} : { shared }) };
}

/** Writes a place as a fragment; empty filters and text that looks like a secret are left out. */
export function writePlace({ view, filters, shared }: Place): string {
  const shown = Object.entries(filters).filter(([, value]) => value !== '' && mayBeShown(value));
  const query = [new URLSearchParams(shown).toString(), shared === undefined ? '' : `${sharedField}=${shared}`];
  const text = query.filter((part) => part !== '').join('&');
  return text === '' ? `#/${view}` : `#/${view}?${text}`;
}

/** Takes the printed key from an address like `…/#key=…`, and removes it from there, whatever was pasted with it. */
export function takeKey(): string | undefined {
  const start = '#key=';
  if (!location.hash.startsWith(start)) return undefined;
  const key = location.hash.slice(start.length).replaceAll(/%\w\w/g, ' ');
  history.replaceState(null, '', location.pathname + location.search);
  return /[\w-]+/.exec(key)?.[0] ?? '';
}
