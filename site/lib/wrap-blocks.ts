import { relative } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { root } from '../../scripts/lib/exec.ts';
import { placeOf } from './pages.ts';
import type { RunBlock } from './run-blocks.ts';

/** The first line of a block that runs; a page shows a button in place of it. */
const marker = /^\/\/ runs\n/;

/**
 * Wraps each block of code in what the page's scripts look for: its line, by which its types on hover are found, and a
 * button for a block that runs.
 */
export function wrapBlocks(markdown: MarkdownRenderer, blocks: readonly RunBlock[]): void {
  const runs = new Map(blocks.map((block) => [block.id, block]));
  const { fence } = markdown.renderer.rules;
  if (fence === undefined) return;
  markdown.renderer.rules.fence = (tokens, index, options, env, self) => {
    const token = tokens[index];
    const hidden = token !== undefined && marker.test(token.content) ? 1 : 0;
    if (token !== undefined) token.content = token.content.replace(marker, '');
    const html = fence(tokens, index, options, env, self);
    const path: string | undefined = env.realPath ?? env.path;
    if (token === undefined || path === undefined || !/^ts\b/.test(token.info)) return html;
    // Tokens count lines from 0, and the code begins below the fence.
    const line = (token.map?.[0] ?? 0) + 2;
    const file = relative(root, path);
    const page = placeOf(file).replace(/\.md$/, '');
    const typed = `<div class="typed-block" data-page="${page}" data-line="${line}" data-hidden="${hidden}">${html}</div>`;
    const run = runs.get(`${file}:${line}`);
    if (run === undefined) return typed;
    if (run.reason !== undefined) return `${typed}<p class="run-note">Runs in Node only: ${run.reason}.</p>`;
    return `<RunBlock id="${run.id}" :values="${run.values}">${typed}</RunBlock>`;
  };
}
