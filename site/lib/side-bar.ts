import { posix } from 'node:path';
import { addressOf, readPage } from './pages.ts';

/** A title in the side bar, with the pages below it. */
export interface SideBarGroup {
  readonly text: string;
  readonly collapsed?: boolean;
  readonly items: { readonly text: string; readonly link: string }[];
}

const heading = /^\*\*(?<task>.+)\*\*$|^## (?<rest>Contracts|Background)/;

/**
 * The side bar of the guides: the tasks of docs/README.md and the pages in their tables, then the contracts and the
 * background. A page that stands twice is listed where it stands first.
 */
export function readSideBar(pages: ReadonlyMap<string, string>): SideBarGroup[] {
  const groups: SideBarGroup[] = [];
  const listed = new Set<string>();
  for (const line of readPage('docs/README.md').split('\n')) {
    const { task, rest } = heading.exec(line)?.groups ?? {};
    const text = task ?? rest;
    if (text !== undefined) groups.push({ text, collapsed: false, items: [] });
    for (const [, title = '', link = ''] of line.matchAll(/\[([^\]]+)\]\(([^)#]+)\)/g)) {
      const place = pages.get(posix.join('docs', link));
      const group = groups.at(-1);
      if (group === undefined || place === undefined || listed.has(place)) continue;
      listed.add(place);
      group.items.push({ text: title, link: addressOf(place) });
    }
  }
  return groups;
}

/** The side bar of the reference: its subpaths. */
export function readReferenceBar(pages: ReadonlyMap<string, string>): SideBarGroup[] {
  const subpath = /^docs\/api\/(?<name>arango-services(?:\/(?!namespaces\/)[^/]+){0,2})\/README\.md$/;
  const items = [...pages].flatMap(([file, place]) => {
    const text = subpath.exec(file)?.groups?.name;
    return text === undefined ? [] : [{ text: text.replace(/^arango-services\//, ''), link: addressOf(place) }];
  });
  return [{ text: 'Reference', items }];
}
