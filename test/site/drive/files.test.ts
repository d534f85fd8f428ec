import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { siteBase, siteFolder } from '../../../scripts/lib/tested-site.ts';
import { readPage, readPages } from '../../../site/lib/pages.ts';
import { slug } from '../../../site/lib/slug.ts';

const read = (file: string) => readFileSync(join(siteFolder, file), 'utf8');
const pages = new Map(
  globSync('**/*.html', { cwd: siteFolder })
    .sort()
    .map((file) => [file, read(file)]),
);
const decode = (text: string) => text.replaceAll('&amp;', '&').replaceAll('&#39;', "'").replaceAll('&quot;', '"');

/** The addresses that elements of a page have in an attribute. */
const addressesIn = (html: string, elements: string) =>
  [...html.matchAll(new RegExp(`<(?:${elements})\\b[^>]*?\\s(?:href|src)="([^"]*)"`, 'g'))].map(([, address = '']) =>
    decode(address),
  );

/** The anchors of a page. */
const anchorsOf = (html: string) => new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => decode(id)));
const anchors = new Map([...pages].map(([file, html]) => [file, anchorsOf(html)]));

/** Finds why an address of a page leads nowhere; undefined if it leads somewhere, or out of the site. */
function findFault(page: string, address: string): string | undefined {
  if (/^(?:[a-z]+:|\/\/)/.test(address)) return undefined;
  const [path = '', anchor] = decodeURIComponent(address).split('#');
  if (path.startsWith('/') && !path.startsWith(siteBase)) return 'is outside of the base';
  const place = path.startsWith('/') ? path.slice(siteBase.length) : posix.join(posix.dirname(page), path);
  const target = [place, `${place}.html`, posix.join(place, 'index.html')].find(
    (file) => pages.has(file) || (/\.\w+$/.test(file) && existsSync(join(siteFolder, file))),
  );
  if (path !== '' && target === undefined) return 'has no file';
  const ids = anchors.get(path === '' ? page : (target ?? ''));
  return anchor === undefined || ids === undefined || ids.has(anchor) ? undefined : 'has no such anchor';
}

describe('the files of the site', () => {
  test('are more than 50 pages', () => {
    expect(pages.size).toBeGreaterThan(50);
  });

  test('have no link to a page or an anchor that is missing', () => {
    const links = [...pages].flatMap(([page, html]) =>
      [...new Set(addressesIn(html, 'a|img|link|script'))].map((address) => ({ page, address })),
    );
    expect(links.length).toBeGreaterThan(3_000);
    const dead = links.flatMap(({ page, address }) => {
      const fault = findFault(page, address);
      return fault === undefined ? [] : [`${page}: ${address} ${fault}`];
    });
    expect(dead).toEqual([]);
  });

  test('have an anchor for each heading, by the rule of GitHub', () => {
    const missing = [...readPages({ withReference: false })].flatMap(([file, place]) => {
      const markdown = readPage(file).replace(/^(`{3,}).*?^\1$/gms, '');
      const headings = [...markdown.matchAll(/^#+ +(.*)$/gm)].map(([, heading = '']) => slug(heading));
      const ids = anchors.get(place.replace(/\.md$/, '.html'));
      return headings.filter((id) => !ids?.has(id)).map((id) => `${file}: ${id}`);
    });
    expect(missing).toEqual([]);
  });

  test('load nothing from another host', () => {
    const loaded = [...pages].flatMap(([page, html]) =>
      addressesIn(html, 'img|link|script|iframe|source')
        .filter((address) => /^(?:https?:)?\/\//.test(address))
        .map((address) => `${page}: ${address}`),
    );
    const styles = globSync('**/*.css', { cwd: siteFolder });
    expect(styles).not.toEqual([]);
    const inStyles = styles.flatMap(
      (file) => read(file).match(/(?:url\(\s*["']?|@import\s+["'])(?:https?:)?\/\/[^)]*/g) ?? [],
    );
    expect([...loaded, ...inStyles]).toEqual([]);
  });

  test('have a Markdown twin beside each page, which the page names', () => {
    const without = [...pages].filter(([page, html]) => {
      const twin = page.replace(/\.html$/, '.md');
      const named = `<link rel="alternate" type="text/markdown" href="${siteBase}${twin}">`;
      return page !== '404.html' && !(existsSync(join(siteFolder, twin)) && html.includes(named));
    });
    expect(without.map(([page]) => page)).toEqual([]);
  });

  test('have the types of each block that a page asks them of', () => {
    const asked = [...pages].flatMap(([page, html]) =>
      [...html.matchAll(/data-page="([^"]+)" data-line="(\d+)"/g)].map(([, at = '', line = '']) => ({
        page,
        at,
        line,
      })),
    );
    expect(asked.length).toBeGreaterThan(100);
    const without = asked.filter(({ at, line }) => {
      const file = `hovers/${at}.json`;
      return !existsSync(join(siteFolder, file)) || JSON.parse(read(file)).blocks[line] === undefined;
    });
    expect(without).toEqual([]);
  });

  test('hold the guides and contracts in one file, and an index of them, for language models', () => {
    const full = read('llms-full.txt');
    for (const title of ['# Guard a service', '# Permissions as code', '# Test your application', '# Glossary'])
      expect(full).toContain(`\n${title}\n`);
    const links = [...read('llms.txt').matchAll(/\]\(([^)#]+)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(30);
    const missing = links.filter((link) => !/^https?:/.test(link) && !existsSync(join(siteFolder, link)));
    expect(missing).toEqual([]);
  });
});
