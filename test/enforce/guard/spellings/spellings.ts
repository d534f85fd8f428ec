// Texts of path parameters by their type: the one of each value, other spellings of it, and random ones.
import fc from 'fast-check';

interface Kind {
  /** The schema of the parameter. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** The one text of some values. */
  readonly texts: readonly string[];
  /** Further spellings of these values, in any language. */
  readonly others?: readonly string[];
}

const string = (format: string) => ({ type: 'string', format });
const uuid = '123e4567-e89b-12d3-a456-426614174abc';

/** Name of each kind, and of its path. */
export const kinds: Readonly<Record<string, Kind>> = {
  boolean: {
    schema: { type: 'boolean' },
    texts: ['true', 'false'],
    others: [
      'yes',
      'on',
      '1',
      't',
      'y',
      'no',
      'off',
      '0',
      'f',
      'n',
      'enabled',
      'disabled',
      '1.0',
      '01',
      'null',
      'wahr',
    ],
  },
  integer: {
    schema: { type: 'integer' },
    texts: ['0', '7', '-7', '42', '1000', '1200000', '9007199254740991'],
    others: [
      '1e3',
      '1.2e6',
      '0x7',
      '0b111',
      '0o7',
      '9007199254740993',
      '1,000',
      '0.7e1',
      '𝟕',
      '7n',
      '7L',
      '#7',
      '1_0_0_0',
    ],
  },
  number: {
    schema: { type: 'number' },
    texts: ['0', '7', '-7', '1.5', '0.1', '1e-7', '1200000', '-0.5'],
    others: [
      '0.0000001',
      '.5',
      '-.5',
      '1.50',
      '15e-1',
      '0.10000000000000000001',
      '7d',
      '7f',
      '0x1p-1',
      '1,5',
      'inf',
      'NaN',
    ],
  },
  float: {
    schema: { type: 'number', format: 'float' },
    texts: ['0', '7', '0.1', '1.5', '16777216'],
    others: ['0.10000000149011612', '0.100000001', '16777217', '1.50', '7.0000000001', '0.1f', '1e-1'],
  },
  date: {
    schema: string('date'),
    texts: ['2020-01-01', '2020-03-01', '1970-01-01'],
    others: [
      ...[
        '1577836800',
        '1577836800000',
        '1577836800.0',
        '0',
        '20200101',
        '2020-1-1',
        '2020-01-01T00:00:00',
        '2020-02-30',
      ],
      ...[
        '2020-01-01T00:00:00Z',
        '2020-01-01 00:00',
        '2020-001',
        '2020-W01-3',
        '+2020-01-01',
        '2020/01/01',
        '01/01/2020',
      ],
      ...['2020-01-01+00:00', '2020-01-01Z', 'Jan 1 2020', '2020−01−01', '20-01-01'],
    ],
  },
  time: {
    schema: string('time'),
    texts: ['00:00:00Z', '12:30:10Z', '12:30:10.5Z', '12:30:10.123Z'],
    others: [
      ...[
        '12:30:10',
        '12:30:10+00:00',
        '12:30:10.500Z',
        '12:30:10.5',
        '12:30:10,5Z',
        '12:30:10.1234Z',
        '45010',
        '45010.5',
      ],
      ...[
        'T12:30:10Z',
        '123010Z',
        '12:30:10-00:00',
        '13:30:10+01:00',
        '00:00',
        '24:00:00Z',
        '0',
        '12:30:10 PM',
        '12:30:10.1230001Z',
      ],
    ],
  },
  'date-time': {
    schema: string('date-time'),
    texts: ['2020-01-01T00:00:00Z', '2020-01-01T12:30:10.123Z', '1970-01-01T00:00:00Z', '2017-01-01T00:00:00Z'],
    others: [
      ...[
        '1577836800',
        '1577836800000',
        '1577836800.0',
        '1577836800e0',
        '0',
        '2020-01-01',
        '2020-01-01T00:00',
        '2020-01-01T00Z',
      ],
      ...[
        '2020-01-01T00:00:00',
        '2020-01-01 00:00:00Z',
        '2020-01-01_00:00:00Z',
        '2020-01-01T01:00:00+01:00',
        '2019-12-31T24:00:00Z',
      ],
      ...['2020-01-01T00:00:00+0000', '2020-01-01T00:00:00-00:00', '2020-01-01T00:00:00.000000Z', '20200101T000000Z'],
      ...[
        '2020-01-01T12:30:10.1234Z',
        '2020-01-01T12:30:10.123000Z',
        '2020-01-01T12:30:10,123Z',
        '2016-12-31T23:59:60Z',
      ],
      ...['2020-01-01T00:00:00[UTC]', '2020-01-01T00:00:00Z[UTC]', '+002020-01-01T00:00:00Z', '2020-001T00:00:00Z'],
      ...['Wed, 01 Jan 2020 00:00:00 GMT', '2020-01-01T00:00:00.0000001Z', '2020-01-01T00:00:00 Z'],
    ],
  },
  uuid: {
    schema: string('uuid'),
    texts: [uuid, '00000000-0000-4000-8000-00000000000a'],
    others: [
      ...[
        uuid.replaceAll('-', ''),
        `{${uuid}}`,
        `urn:uuid:${uuid}`,
        `(${uuid})`,
        '0-0-4000-8000-a',
        uuid.replaceAll('-', '_'),
      ],
      ...[
        `${uuid.slice(0, 4)}-${uuid.slice(4).replaceAll('-', '')}`,
        '{0x123e4567,0xe89b,0x12d3}',
        'Ej5FZ-ibEtOkVkJmFBdKvA',
      ],
    ],
  },
  ipv4: {
    schema: string('ipv4'),
    texts: ['127.0.0.1', '10.0.0.8', '0.0.0.0'],
    others: [
      '127.1',
      '127.0.1',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '010.0.0.8',
      '0x7f.0.0.1',
      '::ffff:127.0.0.1',
      '0',
      '127。0。0。1',
    ],
  },
  ipv6: {
    schema: string('ipv6'),
    texts: ['::1', '::', '2001:db8::1', '2001:db8:0:1:1:1:1:1', 'fe80::1', '::ffff:1.2.3.4'],
    others: [
      ...[
        '0:0:0:0:0:0:0:1',
        '::0001',
        '0::1',
        '::0',
        '2001:0db8::1',
        '2001:db8:0:0::1',
        '2001:db8::1:1:1:1:1',
        '::0:1',
        '[::1]',
      ],
      ...[
        'fe80::1%eth0',
        'fe80::1%1',
        '::ffff:102:304',
        '::0.0.0.1',
        '::ffff:1.2.3.04',
        '::ffff:0102:0304',
        '1.2.3.4',
        '::1/128',
      ],
    ],
  },
  byte: {
    schema: string('byte'),
    texts: ['AA==', 'aGVsbG8=', 'aGVsbG8h', '+++f'],
    others: ['AA', 'AB==', 'AA=', 'aGVsbG8', 'aGVsbG9=', 'aGVs bG8=', '---f', 'aGVsbG8==', 'aGVs\nbG8=', 'aGVs.bG8='],
  },
  choice: {
    schema: { type: 'string', enum: ['red', 'Green', 'dark_blue'] },
    texts: ['red', 'Green', 'dark_blue'],
    others: ['RED', 'green', 'dark blue', 'DARK_BLUE', 'darkblue', '0', '1', 'dark+blue'],
  },
  level: {
    schema: { type: 'integer', enum: [1, 2, 30] },
    texts: ['1', '2', '30'],
    others: ['one', 'ONE', '3e1', '30.0', '0x1'],
  },
  text: { schema: { type: 'string' }, texts: ['red', '7', '07', 'a b', 'true'] },
};

const digits = (zero: number) => (text: string) =>
  text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));

/** Changes that one parser or another ignores. */
const changes: readonly ((text: string) => string)[] = [
  ...[' ', '\t', '\u00a0', '\u3000', '\ufeff', '\u2003', '\u200b', '+', '-', '0', '00', '"', "'", '[', '='].map(
    (more) => (text: string) => more + text,
  ),
  ...[
    ' ',
    '\t',
    '\u00a0',
    '\u3000',
    '\ufeff',
    '.0',
    '.',
    '.00',
    'e0',
    'E+0',
    'Z',
    ']',
    '"',
    ',',
    '0',
    '=',
    ';',
    '%20',
  ].map((more) => (text: string) => text + more),
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase(),
  (text) => text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase(),
  ...[0xff10, 0x660, 0x966, 0x1d7ce].map(digits),
  (text) => text.replace(/\d(?=\d)/, '$&_'),
  (text) => text.replace(/(?<!\d)\d/, '0$&'),
  (text) => text.replace('-', ''),
  (text) => text.replace('T', ' '),
  (text) => text.replace('T', '_'),
  (text) => text.replace('Z', '+00:00'),
  (text) => text.replace('Z', ''),
  (text) => text.replace(/Z$/, '.000Z'),
  (text) => text.replace(/(\.\d+)/, '$10'),
  (text) => text.replace(/(\.\d+)/, '$11'),
  (text) => text.replace('.', ','),
  (text) => text.replace('::', ':0:'),
  (text) => text.replaceAll('=', ''),
  (text) => text.replaceAll('+', '-'),
];

/** A text in a path: each character as it is where it can be, or percent-encoded in either case. */
function encode(text: string, hows: readonly number[]): string {
  const encoded = [...text].map((char, index) => {
    const how = hows[index % hows.length] ?? 0;
    const bytes = [...new TextEncoder().encode(char)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    return how === 0 ? bytes : how === 1 ? bytes.toUpperCase() : encodeURIComponent(char).replaceAll('%3A', ':');
  });
  return encoded.join('');
}

export interface Spelling {
  readonly kind: string;
  readonly path: string;
}

const spellingOf = ([kind, { texts, others = [] }]: readonly [string, Kind]): fc.Arbitrary<Spelling> => {
  const known = fc.constantFrom(...texts, ...others);
  const changed = fc
    .tuple(known, fc.array(fc.constantFrom(...changes), { minLength: 1, maxLength: 2 }))
    .map(([text, all]) => all.reduce((given, change) => change(given), text));
  const random = fc.oneof(
    fc.string({ minLength: 1, maxLength: 6 }),
    fc.integer().map(String),
    fc.double({ noNaN: true }).map(String),
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    fc.uuid(),
    fc.ipV6(),
    fc.base64String({ maxLength: 12 }),
  );
  const text = fc.oneof(
    { arbitrary: known, weight: 3 },
    { arbitrary: fc.constantFrom(...texts), weight: 2 },
    { arbitrary: changed, weight: 6 },
    { arbitrary: random, weight: 1 },
  );
  const hows = fc.array(fc.constantFrom(0, 1, 2, 2, 2), { minLength: 3, maxLength: 5 });
  const plain = fc.constant([2]);
  return fc
    .tuple(text, fc.oneof(plain, plain, hows))
    .map(([given, how]) => ({ kind, path: `/${kind}/${encode(given.toWellFormed(), how)}` }));
};

/** Random spellings, as many of each kind. Each kind's own texts are always among them. */
export const sampleSpellings = (each: number, names: readonly string[] = Object.keys(kinds)): Spelling[] =>
  Object.entries(kinds)
    .filter(([kind]) => names.includes(kind))
    .flatMap((entry) => [
      ...[...entry[1].texts, ...(entry[1].others ?? [])].map((text) => ({
        kind: entry[0],
        path: `/${entry[0]}/${encode(text, [2])}`,
      })),
      ...fc.sample(spellingOf(entry), each),
    ]);

/** The document of all kinds. A value may hold a colon. */
export const document = {
  paths: Object.fromEntries(
    Object.entries(kinds).map(([kind, { schema }]) => {
      const parameters = [{ name: 'value', in: 'path', required: true, schema }];
      const permission = { action: 'values:read', resource: `${kind}:{value*}` };
      return [`/${kind}/{value}`, { get: { parameters, 'x-permission': permission } }];
    }),
  ),
};

/** A request whose handler ran. */
export interface Ran extends Spelling {
  /** The value that the handler got, as a text that equal values share. */
  readonly value: string;
  /** The resource of the guard's question; undefined if the guard denied the request. */
  readonly resource: string | undefined;
}

/**
 * Returns the values that a handler got by requests about different resources: a Deny on one of them would be passed by
 * the other.
 */
export function passed(all: readonly Ran[]): string[] {
  const resources = new Map<string, Map<string, string>>();
  for (const { kind, value, resource, path } of all) {
    if (resource === undefined) continue;
    const key = `${kind} ${value}`;
    const known = resources.get(key) ?? new Map<string, string>();
    resources.set(key, known.set(resource, path));
  }
  return [...resources].flatMap(([key, known]) =>
    known.size > 1 ? [`${key}: ${[...known].map(([resource, path]) => `${resource} by ${path}`).join(', ')}`] : [],
  );
}

/** Returns the values whose one text the guard denied, by kind. */
export function lost(all: readonly Ran[]): string[] {
  const allowed = new Set(all.flatMap(({ resource }) => resource ?? []));
  const ran = new Set(all.map(({ kind }) => kind));
  return [...ran].flatMap((kind) =>
    (kinds[kind]?.texts ?? []).map((text) => `${kind}:${text}`).filter((resource) => !allowed.has(resource)),
  );
}
