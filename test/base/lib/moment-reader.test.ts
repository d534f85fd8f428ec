import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createMomentReader } from '../../../src/base/lib/moment.ts';

const dateArb = fc.date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-12-31') });

test('times are read as Date.parse does, in any order', () => {
  const read = createMomentReader();
  const near = fc.nat({ max: 200_000_000 }).map((ms) => new Date(1_795_000_000_000 + ms));
  fc.assert(
    fc.property(fc.oneof(dateArb, near), fc.boolean(), fc.constantFrom('Z', '+02:00'), (date, isWhole, zone) => {
      const text = date.toISOString().replace('Z', zone);
      const time = isWhole ? text.replace(/\.\d{3}/, '') : text;
      expect([time, read(time)]).toEqual([time, Date.parse(time)]);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  '2026-11-23T24:00:00Z',
  '2026-11-23T25:00:00Z',
  '2026-11-23T12:60:00Z',
  '2026-11-23T12:00:60Z',
  '2026-02-31T12:00:00Z',
  '2026-13-01T12:00:00Z',
  '2026-11-23T12:00Z',
  '2026-11-23T  :  :  Z',
  'not a time at all  Z',
  '',
])('%j is read as Date.parse does', (time) => {
  const read = createMomentReader();
  read('2026-11-23T12:00:00Z');
  expect(read(time)).toBe(Date.parse(time));
});
