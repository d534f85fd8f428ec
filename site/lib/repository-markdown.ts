import { relative } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { root } from '../../scripts/lib/exec.ts';
import { resolveLink } from './pages.ts';

/**
 * Turns the links of the files into links of the site, before VitePress reads them. While pages are built, those that
 * lead nowhere are added to `dead`.
 */
export function changeLinks(markdown: MarkdownRenderer, pages: ReadonlyMap<string, string>, dead: Set<string>): void {
  markdown.core.ruler.push('repository-links', (state) => {
    const path: string | undefined = state.env.realPath ?? state.env.path;
    // A title in a frontmatter has no file.
    if (path === undefined) return;
    const file = relative(root, path);
    for (const token of state.tokens.flatMap(({ children }) => children ?? [])) {
      const link = token.type === 'link_open' ? token.attrGet('href') : null;
      if (link === null) continue;
      const target = resolveLink(pages, file, decodeURI(link));
      if (target === undefined) dead.add(`${file}: ${link}`);
      else token.attrSet('href', target);
    }
  });
}

/** Makes the empty corner of a table a cell: a header without a text says nothing to a screen reader. */
export function changeEmptyHeaders(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('empty-headers', (state) => {
    for (const [index, token] of state.tokens.entries()) {
      const [text, end] = state.tokens.slice(index + 1, index + 3);
      if (token.type !== 'th_open' || text?.content !== '' || end === undefined) continue;
      token.tag = 'td';
      end.tag = 'td';
    }
  });
}
