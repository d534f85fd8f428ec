import type { Who } from './reader-messages.js';

type Filters = Readonly<Record<string, string>>;

const kinds: ReadonlySet<string> = new Set(['user', 'hash', 'roles'] satisfies Who['kind'][]);

/** The subject in the filters of the address: `user`, or with `as` another kind of subject. */
export function whoIn({ user = '', as = '' }: Filters): Who | undefined {
  if (as === 'superuser') return { kind: 'superuser', name: '' };
  const kind = as === '' ? 'user' : as;
  // The cast: `kinds` has the text.
  return user === '' || !kinds.has(kind) ? undefined : { kind: kind as Who['kind'], name: user };
}

/** The filters for a subject; empty ones without it. */
export const filtersOf = (who: Who | undefined): Filters => ({
  user: who?.name ?? '',
  as: who === undefined || who.kind === 'user' ? '' : who.kind,
});
