import { looksSecret } from '../../base/secrets/redact.js';

/** The address of a view and its filters, which the fragment of the URL holds. */
export interface PageAddress {
  readonly view: string;
  readonly filters: Readonly<Record<string, string>>;
}

/** Asks the page to show an address that its URL cannot hold. */
export class AddressEvent extends Event {
  static readonly type = 'page-address';
  readonly address: PageAddress;

  constructor(address: PageAddress) {
    super(AddressEvent.type);
    this.address = address;
  }
}

const longestFilter = 512;

/** True for text that may stand in the address: it is short and resembles neither a secret nor a part of one. */
const mayBeShown = (text: string): boolean => text.length <= longestFilter && !looksSecret(text);

/** Reads a fragment like `#/requests?status=4xx`. */
export function readPageAddress(hash: string): PageAddress {
  const body = hash.replace(/^#\/?/, '');
  const at = body.indexOf('?');
  const [view, query] = at < 0 ? [body, ''] : [body.slice(0, at), body.slice(at + 1)];
  // The address supplies the names, so the object has no prototype: `__proto__` is an ordinary key.
  const filters: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(query)) filters[name] = value;
  return { view, filters };
}

/** Writes an address as a fragment; empty filters and text that looks like a secret are left out. */
export function writePageAddress({ view, filters }: PageAddress): string {
  const pairs = Object.entries(filters).filter(([, value]) => value !== '' && mayBeShown(value));
  const text = new URLSearchParams(pairs).toString();
  return text === '' ? `#/${view}` : `#/${view}?${text}`;
}

/** Takes the printed key from an address like `…/#key=…`, and removes the whole fragment from the address bar. */
export function takeKey(): string | undefined {
  const start = '#key=';
  if (!location.hash.startsWith(start)) return undefined;
  const key = location.hash.slice(start.length).replaceAll(/%\w\w/g, ' ');
  history.replaceState(null, '', location.pathname + location.search);
  return /[\w-]+/.exec(key)?.[0] ?? '';
}
