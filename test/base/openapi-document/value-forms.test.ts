import { describe, expect, test } from 'vitest';
import { formOf } from '../../../src/base/openapi-document/value-forms.ts';

/** By type or format: texts that are the one of their value, and others. */
const texts: Readonly<Record<string, readonly [one: readonly string[], other: readonly string[]]>> = {
  string: [
    ['7', '07', 'a b', 'A', ''],
    [' a', 'a ', ' ', 'a\u00a0', '\ufeffa', 'a\u3000', 'a\u2028'],
  ],
  boolean: [
    ['true', 'false'],
    ['True', 'TRUE', 't', 'yes', 'on', '1', '0', 'off', ' true', 'true ', '"true"', 'null', ''],
  ],
  integer: [
    ['7', '0', '-7', '9007199254740991'],
    ['07', '+7', '7.0', '7e0', '-0', '7_0', '٧', '1.5', '1e21', '9007199254740992', 'NaN', 'Infinity', '0x7', ' 7'],
  ],
  number: [
    ['7', '1.5', '1e-7', '-0.1', '0.10000000149011612'],
    ['1.50', '.5', '5.', '1e0', '1E-7', '0.0000001', '-0', '0.10000000000000000001', 'NaN', '1,5', '１'],
  ],
  float: [
    ['0.1', '7', '-1.5', '16777216', '1e-7', '0', '1e-45', '3.4028234'],
    [
      '0.10000000149011612',
      '16777217',
      '0.10',
      '1e-46',
      '3.40282351',
      '-0',
      '1.401298464324817e-45',
      'NaN',
      'x',
      '1e39',
    ],
  ],
  date: [
    ['2020-01-01', '2020-02-29', '0001-01-01', '9999-12-31'],
    [
      '2020-1-1',
      '2019-02-29',
      '2020-02-30',
      '20200101',
      '1577836800',
      '2020-01-01T00:00:00Z',
      '+012020-01-01',
      '2020-W01-1',
    ],
  ],
  time: [
    ['12:00:00Z', '00:00:00.5Z', '23:59:59.999Z'],
    [
      '12:00:00',
      '12:00Z',
      '12:00:00z',
      '12:00:00+00:00',
      '24:00:00Z',
      '23:59:60Z',
      '12:00:00.0Z',
      '12:00:00.50Z',
      '43200',
    ],
  ],
  'date-time': [
    ['2020-01-01T00:00:00Z', '2020-01-01T12:30:10.1Z', '2020-01-01T00:00:00.123Z'],
    [
      ...[
        '2020-01-01t00:00:00Z',
        '2020-01-01T00:00:00z',
        '2020-01-01 00:00:00Z',
        '2020-01-01T00:00:00+00:00',
        '2020-01-01',
      ],
      ...[
        '2020-01-01T01:00:00+01:00',
        '2020-01-01T00:00:00',
        '2020-01-01T00:00Z',
        '2020-01-01T00:00:00.0Z',
        '1577836800',
      ],
      ...['2020-01-01T00:00:00.120Z', '2020-01-01T00:00:00.1234Z', '2019-12-31T24:00:00Z', '2016-12-31T23:59:60Z'],
      ...['+002020-01-01T00:00:00Z', '-000001-01-01T00:00:00Z', '+010000-01-01T00:00:00Z', '2020-01-01T00:00:00-00:00'],
    ],
  ],
  uuid: [
    ['123e4567-e89b-12d3-a456-426614174000', '00000000-0000-0000-0000-000000000000'],
    [
      '123E4567-e89b-12d3-a456-426614174000',
      '123e4567e89b12d3a456426614174000',
      'urn:uuid:123e4567-e89b-12d3-a456-426614174000',
    ],
  ],
  ipv4: [
    ['127.0.0.1', '0.0.0.0', '255.255.255.255'],
    [
      '127.1',
      '127.0.0.01',
      '0x7f.0.0.1',
      '2130706433',
      '256.0.0.1',
      '1.2.3',
      '1.2.3.4.',
      '1.2.3.4.5',
      '１.2.3.4',
      'a.b.c.d',
      '',
    ],
  ],
  ipv6: [
    [
      '::',
      '::1',
      '2001:db8::1',
      '2001:db8:0:1:1:1:1:1',
      'fe80::1:0:0:1',
      'fe80:0:0:1::1',
      '::ffff:192.0.2.1',
      '::ffff:1',
      '::ffff:1:2:3',
    ],
    [
      ...[
        '0:0:0:0:0:0:0:1',
        '2001:DB8::1',
        '2001:0db8::1',
        '2001:db8::1:1:1:1:1',
        'fe80::1:0:0:0:1',
        '1::2::3',
        '1:2:3',
      ],
      ...[
        '::ffff:c000:201',
        '::ffff:0:0',
        '::ffff:192.0.2.01',
        '::FFFF:192.0.2.1',
        '::192.0.2.1',
        'fe80::1%eth0',
        'fe80::1%25eth0',
      ],
      ...['[::1]', '::1]', '::1]:80', 'a]@[::1', '::1/128', '::ffff:1.2.3.4:80', 'x', ''],
    ],
  ],
  byte: [
    ['AA==', 'AAA=', 'AAAA', '+/+/', 'AAAAAA==', '7AAA'],
    [
      'AA',
      'AAA',
      'AB==',
      'AAB=',
      'AA==AA==',
      '-_-_',
      'A===',
      ' AAAA',
      'AAAA ',
      'AAAA\n',
      'AA%3D%3D',
      '====',
      '0007',
      '+007',
      '0x07',
      '',
    ],
  ],
};
const isType = (name: string) => ['string', 'boolean', 'integer', 'number'].includes(name);

describe.each(Object.entries(texts))('%s', (name, [one, other]) => {
  const isPlain = formOf({
    type: isType(name) ? name : 'string',
    format: isType(name) ? undefined : name,
    values: undefined,
  });

  test('accepts the only text of each value', () => {
    expect(one.filter((text) => isPlain?.(text) !== true)).toEqual([]);
  });

  test('refuses other texts of the same values', () => {
    expect(other.filter((text) => isPlain?.(text) !== false)).toEqual([]);
  });
});

test('formats of numbers have the texts of their type, and numbers no format of texts', () => {
  const of = (type: string, format?: string) => formOf({ type, format, values: undefined });
  for (const type of ['integer', 'number', 'boolean']) expect(of(type, 'byte')).toBe(undefined);
  for (const format of ['int32', 'int64']) expect(of('string', format)).toBe(of('integer'));
  expect(of('number', 'double')).toBe(of('number'));
});
