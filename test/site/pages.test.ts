import { globSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { root } from '../../scripts/lib/exec.ts';
import { repository } from '../../scripts/lib/package.ts';
import { addressOf, placeOf, readPages, resolveLink } from '../../site/lib/pages.ts';
import { readReferenceBar, readSideBar } from '../../site/lib/side-bar.ts';
import { twinOf } from '../../site/lib/twins.ts';

const pages = readPages({ withReference: false });

describe('the pages of the site', () => {
  test.each([
    ['README.md', 'readme.md', '/readme'],
    ['CHANGELOG.md', 'changelog.md', '/changelog'],
    ['site/index.md', 'index.md', '/'],
    ['docs/README.md', 'docs.md', '/docs'],
    ['docs/guides/requests.md', 'guides/requests.md', '/guides/requests'],
    ['docs/decisions/README.md', 'decisions/index.md', '/decisions/'],
    ['docs/api/arango-services/README.md', 'api/arango-services/index.md', '/api/arango-services/'],
  ])('%s is the page %s at %s', (file, place, address) => {
    expect(placeOf(file)).toBe(place);
    expect(addressOf(place)).toBe(address);
  });

  test('have places of their own', () => {
    expect(new Set(pages.values()).size).toBe(pages.size);
  });

  test('hold the reference if it is asked for only', () => {
    expect([...pages.keys()].filter((file) => file.startsWith('docs/api'))).toEqual([]);
    expect([...readPages({ withReference: true }).keys()]).toEqual(expect.arrayContaining([...pages.keys()]));
  });

  test.each([
    ['docs/README.md', 'guides/requests.md#bodies', './guides/requests.md#bodies'],
    ['docs/guides/errors.md', '../route.md', '../route.md'],
    ['docs/guides/errors.md', '../README.md', '../docs.md'],
    ['README.md', 'docs/guides/errors.md', './guides/errors.md'],
    ['docs/README.md', '../examples/hono-service', './examples/hono-service/index.md'],
    ['docs/README.md', '../src/index.ts', `${repository}/blob/main/src/index.ts`],
    ['docs/README.md', '../nowhere.md', undefined],
    ['docs/README.md', '#contracts', '#contracts'],
    ['docs/README.md', 'https://example.org/a.md', 'https://example.org/a.md'],
  ])('turn the link of %s to %s into %s', (from, link, expected) => {
    expect(resolveLink(pages, from, link)).toBe(expected);
  });
});

describe('the side bar of the site', () => {
  const groups = readSideBar(pages);

  test('has five tasks, the contracts and the background', () => {
    expect(groups.map(({ text }) => text)).toEqual([
      'Call',
      'Guard and decide',
      'Permissions',
      'Test',
      'Operate',
      'Contracts',
      'Background',
    ]);
  });

  test('lists every guide once', () => {
    const links = groups.flatMap(({ items }) => items.map(({ link }) => link));
    expect(new Set(links).size).toBe(links.length);
    const guides = globSync('docs/guides/*.md', { cwd: root }).map((file) => addressOf(placeOf(file)));
    expect(guides.filter((address) => !links.includes(address))).toEqual([]);
  });

  test('lists the subpaths of the reference, and not the pages of their names', () => {
    const files = [
      'README.md',
      'mock/msw/README.md',
      'mock/namespaces/wire/README.md',
      'guard/functions/createGuard.md',
    ];
    const reference = files.map((file) => `docs/api/arango-services/${file}`);
    expect(readReferenceBar(new Map(reference.map((file) => [file, placeOf(file)])))).toEqual([
      {
        text: 'Reference',
        items: [
          { text: 'arango-services', link: '/api/arango-services/' },
          { text: 'mock/msw', link: '/api/arango-services/mock/msw/' },
        ],
      },
    ]);
  });
});

describe('the Markdown twin of a page', () => {
  test('links to other twins', () => {
    const twin = twinOf(pages, 'docs/README.md');
    expect(twin).toContain('](./guides/errors.md)');
    expect(twin).toContain('](./security.md)');
  });

  test('has nothing that only the site reads', () => {
    expect(twinOf(pages, 'site/index.md')).toMatch(/^# arango-services\n/);
    expect(twinOf(pages, 'site/index.md')).not.toMatch(/^<[A-Z]/m);
  });
});
