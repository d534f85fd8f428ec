import { describe, expect, test } from 'vitest';
import { events, paginate } from '../../../src/client/stream/index.ts';
import { createClient } from '../../../src/index.ts';
import { failureOf } from '../../support/failure.ts';

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('the id of an event that is sent back', () => {
  const streamOf = (text: string) => new Blob([text]).stream();
  const withId = (length: number) => `id: ${'x'.repeat(length)}\ndata: 1\n\n`;

  test('has at most 8192 characters', async () => {
    const ids: unknown[] = [];
    const resume = async (headers: object) => void ids.push(headers);
    expect(await all(events(streamOf(withId(8_192)), { resume, retryMs: 1 }))).toHaveLength(1);
    expect(ids).toEqual([{ 'last-event-id': 'x'.repeat(8_192) }]);
  });

  test.each([8_193, 1_000_000, 30_000_000])('of %i characters is a ParseError, and is not resumed', async (length) => {
    let opened = 0;
    const resume = async () => void opened++;
    const failure = await failureOf(all(events(streamOf(withId(length)), { resume, maxBytes: 1e9, retryMs: 1 })));
    expect(failure).toMatchObject({ code: 'PARSE' });
    expect(failure.message).toContain('8192 characters');
    expect(opened).toBe(0);
  });
});

describe('the link of a page', () => {
  const follow = (link: string) => {
    let pages = 0;
    const fetch = async () => Response.json({});
    const route = createClient({ url: 'http://service.test', fetch }).route('items');
    return all(paginate(route, { query: { a: [1, 1] }, next: () => (pages++ === 0 ? link : undefined) }));
  };
  const path = '/_db/_system/items?';

  test('has at most 65536 characters', async () => {
    expect(await follow(path.padEnd(65_536, 'a=1&'))).toHaveLength(2);
    const failure = await failureOf(follow(path.padEnd(65_537, 'a=1&')));
    expect(failure).toMatchObject({ code: 'INVALID_ARGUMENT', field: 'next' });
    expect(failure.message).toContain('65536 characters');
    expect(failure.message).not.toContain('a=1');
  });

  test('may repeat pairs of the request, each as often as it was sent', async () => {
    const [, second] = await follow(`${path}b=2&a=1&a=1&a=1`);
    expect(new URL(second?.url ?? '').search).toBe('?b=2&a=1&a=1&a=1');
  });
});
