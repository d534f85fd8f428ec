import { expect, test } from 'vitest';
import { sessionTokens } from '../../../src/base/jwt/session-cookie.ts';

test.each([
  ['X-ArangoDB-Token-JWT=a.b.c', ['a.b.c']],
  ['theme=dark; X-ArangoDB-Token-JWT = a.b.c ;x=1', ['a.b.c']],
  ['X-ArangoDB-Token-JWT=one; X-ArangoDB-Token-JWT=two=', ['one', 'two=']],
  ['x-arangodb-token-jwt=a.b.c', []],
  // Neither begins with the name and an equals sign.
  ['X-ArangoDB-Token-JWT', []],
  ['=X-ArangoDB-Token-JWT=a.b.c', []],
  ['', []],
])('the session tokens of "%s"', (cookies, tokens) => {
  expect(sessionTokens(cookies)).toEqual(tokens);
});
