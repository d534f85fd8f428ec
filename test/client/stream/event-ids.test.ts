import fc from 'fast-check';
import { expect, test } from 'vitest';
import { events } from '../../../src/client/stream/index.ts';
import { partOf, runsOf } from '../../support/thorough.ts';

/** Reads a whole stream as the standard says: the data of its events, and the last id. */
function standard(text: string): { data: string[]; lastId: string } {
  const result = { data: [] as string[], lastId: '' };
  let data: string[] = [];
  let id = '';
  // What follows the last line end is not a line.
  for (const line of text.split(/\r\n|\r|\n/).slice(0, -1)) {
    const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (line === '') {
      result.lastId = id;
      if (data.length > 0) result.data.push(data.join('\n'));
      data = [];
    } else if (name === 'data') data.push(value);
    else if (name === 'id' && !value.includes('\0')) id = value;
  }
  return result;
}

test('data and ids are those of the standard, however the stream is split into chunks', async () => {
  const pieces = [
    '\r',
    '\n',
    '\r\n',
    '\n\n',
    'id: 7',
    '\nid: 9\n\r',
    '\rdata: b\r',
    'id:8',
    'id',
    'id: \0',
    'data: a',
    'data',
    ': c',
    'event: e',
    'ü',
    'x',
  ];
  const long = 'y'.repeat(4_094);
  const texts = fc.array(fc.oneof({ weight: 30, arbitrary: fc.constantFrom(...pieces) }, fc.constant(long)), {
    maxLength: 40,
  });
  const counts = { events: 0, ids: 0 };
  await fc.assert(
    fc.asyncProperty(texts, fc.array(fc.nat({ max: 60 }), { maxLength: 12 }), async (parts, cuts) => {
      const text = parts.join('');
      // Longer ids are refused: test/client/stream/bounds.test.ts.
      fc.pre(!text.split(/\r\n|\r|\n/).some((line) => line.startsWith('id') && line.length > 8_192));
      const bytes = Buffer.from(text);
      const chunks = (async function* () {
        let at = 0;
        for (const length of cuts) {
          yield bytes.subarray(at, at + length);
          at += length;
        }
        yield bytes.subarray(at);
      })();
      let lastId = '';
      const resume = async (headers: Readonly<Record<string, string>>) => {
        // A header in UTF-8.
        lastId = Buffer.from(headers['last-event-id'] ?? '', 'latin1').toString();
        return undefined;
      };
      const data: string[] = [];
      for await (const event of events(chunks, { resume, retryMs: 0 })) data.push(event.data);
      expect({ data, lastId }).toEqual(standard(text));
      counts.events += data.length;
      counts.ids += Number(lastId !== '');
    }),
    runsOf(3_000),
  );
  expect(Math.min(counts.events, counts.ids)).toBeGreaterThan(partOf(300));
});
