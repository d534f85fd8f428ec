import { base64url, rawToken, type Signer, signRaw } from '../../support/raw-token.ts';

export const at = '2026-11-20T12:00:00Z';
const now = Date.parse(at) / 1000;

/** The owner and the lifetime of a token. */
interface Accepted {
  readonly user?: string;
  readonly groups: readonly string[];
  readonly seconds: number;
}

/**
 * The verdict on a token: its owner; or the reason for its refusal, in both wordings if they differ, and the verdict of
 * the observed services if they accept it nevertheless.
 */
export type Outcome = Accepted | { readonly reason: string; readonly observed?: string; readonly taken?: Accepted };

export interface TokenCase {
  readonly name: string;
  readonly token: string;
  readonly outcome: Outcome;
}

const good = { iss: 'arangodb', iat: now, exp: now + 3600, preferred_username: 'alice', groups: ['a'] };
const alice = { user: 'alice', groups: ['a'], seconds: 3600 };
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** The other valid form of an ES256 signature: (r, n − s). */
export function otherForm(token: string): string {
  const end = token.lastIndexOf('.') + 1;
  const signature = Buffer.from(token.slice(end), 'base64url');
  const s = BigInt(`0x${signature.subarray(32).toString('hex')}`);
  const other = Buffer.from((order - s).toString(16).padStart(64, '0'), 'hex');
  return token.slice(0, end) + Buffer.concat([signature.subarray(0, 32), other]).toString('base64url');
}

/** The same signature bytes in other characters: the last one has unused bits. */
export function otherLastCharacter(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const last = alphabet.indexOf(token.at(-1) ?? '');
  return token.slice(0, -1) + alphabet[last ^ 1];
}

/** Claims, which are checked after the signature. */
const claimCases: readonly (readonly [string, object, Outcome])[] = [
  ['good', good, alice],
  ['no user', { ...good, preferred_username: undefined }, { groups: ['a'], seconds: 3600 }],
  ['an empty user', { ...good, preferred_username: '' }, { ...alice, user: '' }],
  ['a user that is a number', { ...good, preferred_username: 7 }, { groups: ['a'], seconds: 3600 }],
  ['a user beyond ASCII', { ...good, preferred_username: 'Zoë 🦊' }, { ...alice, user: 'Zoë 🦊' }],
  ['no groups', { ...good, groups: undefined }, { ...alice, groups: [] }],
  ['groups of other types', { ...good, groups: ['a', 1, null, 'b'] }, { ...alice, groups: ['a', 'b'] }],
  ['groups that are text', { ...good, groups: 'a' }, { ...alice, groups: [] }],
  ['another issuer and audience', { ...good, iss: 'someone', aud: 'else' }, alice],
  ['no issuer', { ...good, iss: undefined }, alice],
  ['no exp', { ...good, exp: undefined }, alice],
  ['no exp and no iat', { ...good, exp: undefined, iat: undefined }, alice],
  ['no iat', { ...good, iat: undefined }, alice],
  ['an exp with a fraction', { ...good, exp: now + 99.9 }, { ...alice, seconds: 99 }],
  ['an exp in the next second', { ...good, exp: now + 1 }, { ...alice, seconds: 1 }],
  ['an exp in ten years', { ...good, exp: now + 315_360_000 }, { ...alice, seconds: 315_360_000 }],
  ['an exp beyond every clock', { ...good, exp: 9e15 }, { ...alice, seconds: 9_223_372_036 }],
  ['the last exp in 64 bits', { ...good, exp: 2 ** 63 - 2 ** 36 }, { ...alice, seconds: 9_223_372_036 }],
  ['an exp that wraps', { ...good, exp: 2 ** 63 - 2 ** 35 }, refused('token is expired')],
  ['an exp beyond 64 bits', { ...good, exp: 1e20 }, refused('token is expired')],
  ['an exp far beyond 64 bits', { ...good, exp: 1e300 }, refused('token is expired')],
  ['an iat beyond 64 bits', { ...good, iat: 1e20 }, taken(refused('token used before issued'))],
  ['an nbf beyond 64 bits', { ...good, nbf: 1e20 }, taken(refused('token is not valid yet'))],
  ['an iat in 64 bits', { ...good, iat: 2 ** 53 }, refused('token used before issued')],
  ['an iat with a fraction of this second', { ...good, iat: now + 0.9 }, alice],
  ['an nbf of this second', { ...good, nbf: now }, alice],
  ['an exp of this second', { ...good, exp: now }, refused('token is expired')],
  ['an exp with a fraction of this second', { ...good, exp: now + 0.9 }, refused('token is expired')],
  ['an exp that has passed', { ...good, exp: now - 1 }, refused('token is expired')],
  ['exp 0', { ...good, exp: 0 }, taken(refused('token is expired'), { ...alice, seconds: -now })],
  ['an exp below 1', { ...good, exp: 0.5 }, refused('token is expired')],
  ['iat and nbf 0', { ...good, iat: 0, nbf: 0 }, alice],
  ['a negative exp', { ...good, exp: -1 }, refused('token is expired')],
  ['an nbf in the future', { ...good, nbf: now + 1 }, refused('token is not valid yet')],
  ['an iat in the future', { ...good, iat: now + 1 }, refused('token used before issued')],
  ['an exp that is text', { ...good, exp: 'soon' }, refused('exp is invalid', true)],
  ['an exp that is null', { ...good, exp: null }, refused('exp is invalid', true)],
  ['an exp in a list', { ...good, exp: [now + 3600] }, refused('exp is invalid', true)],
  ['an iat that is text', { ...good, iat: String(now) }, refused('iat is invalid', true)],
  ['an nbf that is true', { ...good, nbf: true }, refused('nbf is invalid', true)],
  [
    'two rules',
    { ...good, exp: now - 9, iat: now + 9 },
    refused('token is expired', false, ['token used before issued']),
  ],
  [
    'every rule',
    { ...good, exp: now - 9, nbf: now + 9, iat: now + 9 },
    refused('token is expired', false, ['token is not valid yet', 'token used before issued']),
  ],
  [
    'a wrong type and a rule',
    { ...good, exp: 'soon', iat: now + 9 },
    refused('exp is invalid', true, ['token used before issued']),
  ],
  ['a name of the prototype', { ...good, ['__proto__']: { exp: 0 }, constructor: 1 }, alice],
];

function refused(reason: string, wrongType = false, more: readonly string[] = []): Outcome {
  const first = wrongType ? `invalid type for claim: ${reason}` : reason;
  return { reason, observed: `token has invalid claims: ${[first, ...more].join(', ')}` };
}

/** A refusal of a token that the observed services accept. */
function taken(refusal: Outcome, accepted: Accepted = alice): Outcome {
  return 'reason' in refusal ? { ...refusal, taken: accepted } : refusal;
}

const malformed = (what: string, more = ''): Outcome => {
  const reason = `token is malformed: ${what}`;
  return { reason, observed: reason + more };
};
const noJson = ': unexpected end of JSON input';
const unverifiable = (what: string): Outcome => ({ reason: `token is unverifiable: ${what}` });
const segments = malformed('token contains an invalid number of segments');
const badSignature: Outcome = { reason: 'signature is invalid' };

/** More than sixty tokens for a key, and the expected verdict on each. */
export function tokenCases(algorithm: 'HS256' | 'ES256', signer: Signer, strangers: Record<'HS256' | 'ES256', Signer>) {
  const header = { alg: algorithm, typ: 'JWT' };
  const other = algorithm === 'HS256' ? 'ES256' : 'HS256';
  const token = rawToken(signer, header, good);
  const [head = '', body = '', signature = ''] = token.split('.');
  const withHeader = (value: unknown) => rawToken(signer, value, good);
  const withClaims = (value: unknown) => rawToken(signer, header, value);
  const resigned = (text: string) => `${text}.${signRaw(signer, text)}`;
  const rows: readonly (readonly [string, string, Outcome])[] = [
    ...claimCases.map(([name, claims, outcome]) => [name, withClaims(claims), outcome] as const),
    [
      'an exp that is infinite',
      withClaims(JSON.stringify(good).replace(/"exp":\d+/, '"exp":1e999')),
      malformed('could not JSON decode claim'),
    ],
    ['an exp that is minus infinite', withClaims('{"exp":-1e999}'), malformed('could not JSON decode claim')],
    [
      'a claim that is infinite, without an exponent',
      withClaims(`{"x":[${'9'.repeat(400)}]}`),
      malformed('could not JSON decode claim'),
    ],
    ['a large number', withClaims(JSON.stringify({ ...good, x: [1e300, -1e300] })), alice],
    ['the last exp of two', withClaims(`{"exp":${now + 9},"exp":${now - 9}}`), refused('token is expired')],
    ['a header without typ', withHeader({ alg: algorithm }), alice],
    ['a header with kid and jku', withHeader({ ...header, kid: '../../x', jku: 'https://evil.test' }), alice],
    ['other bits at the end of the signature', otherLastCharacter(token), alice],
    ['one part', 'garbage', segments],
    ['two parts', 'a.b', segments],
    ['four parts', `${token}.`, segments],
    ['only dots', '..', malformed('could not JSON decode header', noJson)],
    ['three parts of garbage', 'a.b.c', malformed('could not base64 decode header')],
    ['with its scheme', `bearer ${token}`, malformed('could not base64 decode header')],
    ['a header that is not JSON', withHeader('{alg}'), malformed('could not JSON decode header')],
    ['a header that is a list', withHeader([header]), malformed('could not JSON decode header')],
    ['a header that is null', withHeader(null), malformed('could not JSON decode header')],
    ['a header with padding', resigned(`${head}==.${body}`), malformed('could not base64 decode header')],
    ['claims that are not base64', resigned(`${head}.${body}!`), malformed('could not base64 decode claim')],
    ['claims that are not JSON', withClaims('{'), malformed('could not JSON decode claim')],
    ['claims that are a list', withClaims([good]), malformed('could not JSON decode claim')],
    ['claims that are null', withClaims(null), malformed('could not JSON decode claim')],
    ['claims that are a number', withClaims(5), malformed('could not JSON decode claim')],
    [
      'claims after a byte order mark',
      withClaims(`\uFEFF${JSON.stringify(good)}`),
      malformed('could not JSON decode claim'),
    ],
    [
      'claims that are not UTF-8',
      withClaims(Buffer.from('{"a":"\xff"}', 'latin1')),
      malformed('could not JSON decode claim'),
    ],
    ['no claims', resigned(`${head}.`), malformed('could not JSON decode claim', noJson)],
    ['white space after it', `${token} `, malformed('could not base64 decode signature')],
    ['a line break after it', `${token}\n`, taken(malformed('could not base64 decode signature'))],
    ['line breaks in it', resigned(`${head}.\r\n${body}\n`), taken(malformed('could not base64 decode claim'))],
    ['line breaks in its header', resigned(`\n${head}.${body}`), taken(malformed('could not base64 decode header'))],
    [
      'a line break that was not signed',
      `\n${token}`,
      { reason: 'token is malformed: could not base64 decode header', observed: 'signature is invalid' },
    ],
    [
      'a signature in the other alphabet',
      `${head}.${body}.${'+/'.repeat(20)}`,
      malformed('could not base64 decode signature'),
    ],
    ['a signature with padding', `${token}==`, malformed('could not base64 decode signature')],
    ['a header without alg', withHeader({ typ: 'JWT' }), unverifiable('signing method (alg) is unspecified')],
    ['an alg that is a number', withHeader({ alg: 5 }), unverifiable('signing method (alg) is unspecified')],
    ['an unknown alg', withHeader({ alg: 'HS1024' }), unverifiable('signing method (alg) is unavailable')],
    [
      'an alg with more after it',
      withHeader({ alg: `${algorithm}7` }),
      unverifiable('signing method (alg) is unavailable'),
    ],
    [
      'an alg with more before it',
      withHeader({ alg: `x${algorithm}` }),
      unverifiable('signing method (alg) is unavailable'),
    ],
    [
      'an alg in lower case',
      withHeader({ alg: algorithm.toLowerCase() }),
      unverifiable('signing method (alg) is unavailable'),
    ],
    [
      'a critical header',
      withHeader({ ...header, crit: ['exp'] }),
      taken(unverifiable('critical header parameters (crit) are not supported')),
    ],
    ['alg none', `${base64url('{"alg":"none"}')}.${body}.`, badSignature],
    [
      'alg none with a signature that cannot be read',
      `${base64url('{"alg":"none"}')}.${body}.A=`,
      { reason: 'token is malformed: could not base64 decode signature', observed: 'signature is invalid' },
    ],
    ['alg none with a signature', withHeader({ alg: 'none' }), badSignature],
    ['HS384 with the bytes of the key', rawToken('secret-one', { alg: 'HS384' }, good, 'sha384'), badSignature],
    ['HS512 with the bytes of the key', rawToken('secret-one', { alg: 'HS512' }, good, 'sha512'), badSignature],
    ['RS256', withHeader({ alg: 'RS256' }), badSignature],
    ['the algorithm of another key', rawToken(strangers[other], { alg: other }, good), badSignature],
    ['another key', rawToken(strangers[algorithm], header, good), badSignature],
    ['another key, expired', rawToken(strangers[algorithm], header, { ...good, exp: 1 }), badSignature],
    ['no signature', `${head}.${body}.`, badSignature],
    ['a short signature', `${head}.${body}.${signature.slice(0, 8)}`, badSignature],
    [
      'a changed signature',
      `${head}.${body}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
      badSignature,
    ],
    [
      'changed claims',
      `${head}.${base64url(JSON.stringify({ ...good, groups: ['admin'] }))}.${signature}`,
      badSignature,
    ],
    ['a changed header', `${base64url(JSON.stringify({ ...header, x: 1 }))}.${body}.${signature}`, badSignature],
    ...(algorithm === 'ES256' ? ([['the other form of the signature', otherForm(token), alice]] as const) : []),
  ];
  return rows.map(([name, text, outcome]): TokenCase => ({ name, token: text, outcome }));
}
