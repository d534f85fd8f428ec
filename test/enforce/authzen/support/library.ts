import { createEvaluator, type Policy } from '../../../../src/policy/index.ts';
import { everything } from '../../../support/calls.ts';

// A library: who may do what, written by hand, and policies that say the same with patterns. Tests compare answers with
// the matrix.

const allow = (actions: string[], resources: string[]): Policy => ({
  statements: [{ effect: 'Allow', actions, resources }],
});

export const users = ['ann', 'ben', 'cleo', 'dora', 'eve'] as const;
export const names = ['read', 'lend', 'write', 'remove'] as const;
export const types = ['book', 'film', 'map'] as const;
export const ids = ['old-1', 'old-2', 'new-1', 'new-2', 'new-3'] as const;

type User = (typeof users)[number];
type Type = (typeof types)[number];

const all = [...ids];
const recent = ['new-1', 'new-2', 'new-3'];

/** The ids for which a user may do an action on a type. */
const matrix: { readonly [U in User]: { readonly [T in Type]?: Readonly<Record<string, readonly string[]>> } } = {
  // Reads everything, lends books.
  ann: { book: { read: all, lend: all }, film: { read: all }, map: { read: all } },
  // Does everything to new films, and reads books.
  ben: { film: { read: recent, lend: recent, write: recent, remove: recent }, book: { read: all } },
  // Does everything to maps, but never removes old ones.
  cleo: { map: { read: all, lend: all, write: all, remove: recent } },
  // Reads everything, and writes what is named -1.
  dora: {
    book: { read: all, write: ['old-1', 'new-1'] },
    film: { read: all, write: ['old-1', 'new-1'] },
    map: { read: all, write: ['old-1', 'new-1'] },
  },
  // Has a role without permissions.
  eve: {},
};

export const createLibrary = () =>
  createEvaluator({
    policies: {
      'read-all': allow(['*:read'], ['*']),
      'lend-books': allow(['book:lend'], ['book:*']),
      'new-films': allow(['film:*'], ['film:new-*']),
      'read-books': allow(['book:read'], ['book:*']),
      maps: {
        statements: [
          { effect: 'Allow', actions: ['map:*'], resources: ['map:*'] },
          { effect: 'Deny', actions: ['*:remove'], resources: ['map:old-*'] },
        ],
      },
      'write-first': allow(['*:write'], ['book:*-1', 'film:*-1', 'map:*-1']),
      nothing: { statements: [{ effect: 'Deny', actions: ['*:remove'], resources: ['book:*'] }] },
    },
    roles: {
      member: { policies: ['read-all'] },
      librarian: { policies: ['lend-books'] },
      projectionist: { policies: ['new-films', 'read-books'] },
      cartographer: { policies: ['maps'] },
      editor: { policies: ['write-first'] },
      guest: { policies: ['nothing'] },
    },
    bindings: [
      { user: 'ann', role: 'member', scope: everything },
      { user: 'ann', role: 'librarian', scope: everything },
      { user: 'ben', role: 'projectionist', scope: everything },
      { user: 'cleo', role: 'cartographer', scope: everything },
      { user: 'dora', role: 'member', scope: everything },
      { user: 'dora', role: 'editor', scope: everything },
      { user: 'eve', role: 'guest', scope: everything },
    ],
  });

export const may = (user: string, name: string, type: string, id: string): boolean =>
  matrix[user as User]?.[type as Type]?.[name]?.includes(id) ?? false;

/** Every question about the matrix. */
export const questions = users.flatMap((user) =>
  names.flatMap((name) => types.flatMap((type) => ids.map((id) => ({ user, name, type, id })))),
);

export const toEvaluation = ({ user, name, type, id }: (typeof questions)[number]) => ({
  subject: { type: 'user', id: user },
  action: { name },
  resource: { type, id },
});

/** The resources that a search may list. */
export const resources = types.flatMap((type) => ids.map((id) => ({ type, id })));
