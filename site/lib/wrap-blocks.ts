import { relative } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { root } from '../../scripts/lib/exec.ts';
import { runMarker } from '../../scripts/lib/running-examples.ts';
import { placeOf } from './pages.ts';
import type { RunBlock } from './run-blocks.ts';

/**
 * Wraps each example in what the page's scripts look for: its line, by which its types on hover are found, and a button
 * if it runs. `examples` are the places of the checked ones: `docs/guides/requests.md:9`.
 */
export function wrapBlocks(
  markdown: MarkdownRenderer,
  examples: ReadonlySet<string>,
  blocks: readonly RunBlock[],
): void {
  const runs = new Map(blocks.map((block) => [block.id, block]));
  const { fence } = markdown.renderer.rules;
  if (fence === undefined) return;
  markdown.renderer.rules.fence = (tokens, index, options, env, self) => {
    const token = tokens[index];
    // A page shows a button in place of the marker.
    const hidden = token !== undefined && runMarker.test(token.content) ? 1 : 0;
    if (token !== undefined) token.content = token.content.replace(runMarker, '');
    const html = fence(tokens, index, options, env, self);
    const file = relative(root, env.realPath ?? env.path ?? '');
    // Tokens count lines from 0, and the code begins below the fence.
    const line = (token?.map?.[0] ?? 0) + 2;
    if (!examples.has(`${file}:${line}`)) return html;
    const page = placeOf(file).replace(/\.md$/, '');
    const typed = `<div class="typed-block" data-page="${page}" data-line="${line}" data-hidden="${hidden}">${html}</div>`;
    const run = runs.get(`${file}:${line}`);
    if (run === undefined) return typed;
    if (run.reason !== undefined) return `${typed}<p class="run-note">Runs in Node only: ${run.reason}.</p>`;
    return `<RunBlock id="${run.id}" :values="${run.values}">${typed}</RunBlock>`;
  };
}
