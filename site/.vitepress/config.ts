import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';
import { findBlocks } from '../../scripts/lib/examples.ts';
import { root } from '../../scripts/lib/exec.ts';
import { repository } from '../../scripts/lib/package.ts';
import { writeHovers } from '../lib/hovers.ts';
import { mendTheme } from '../lib/mend-theme.ts';
import { placeOf, readPage, readPages, referenceFolder } from '../lib/pages.ts';
import { changeEmptyHeaders, changeLinks } from '../lib/repository-markdown.ts';
import { findRuns, runBlocks } from '../lib/run-blocks.ts';
import { readReferenceBar, readSideBar } from '../lib/side-bar.ts';
import { slug } from '../lib/slug.ts';
import { writeTwins } from '../lib/twins.ts';
import { wrapBlocks } from '../lib/wrap-blocks.ts';

// Set by scripts/site.ts.
const withReference = process.env.SITE_REFERENCE === 'yes';
const base = process.env.SITE_BASE ?? '/';
const origin = process.env.SITE_ORIGIN;
const pages = readPages({ withReference });
const modules = join(root, 'site/node_modules');
const deadLinks = new Set<string>();
/** The pages that the search does not know. */
const notSearched = new Set<string>();
/** The pages whose examples are checked: all but the reference, whose examples stand in the sources. */
const withExamples = new Map([...pages].filter(([file]) => !file.startsWith(`${referenceFolder}/`)));
const examples = new Set(
  [...withExamples.keys()].flatMap((file) => findBlocks(readPage(file)).map(({ line }) => `${file}:${line}`)),
);
const runs = [...withExamples.keys()].flatMap((file) => findRuns(file, readPage(file)));

/** What a browser shows beside the title: the icon of the console, without a file of its own. */
const icon = `data:image/svg+xml,${encodeURIComponent(readFileSync(join(root, 'src/console/page/icon.svg'), 'utf8'))}`;

export default defineConfig({
  title: 'arango-services',
  description: 'Typed client SDK for services hosted by an ArangoDB deployment, and a mock of that platform',
  lang: 'en',
  head: [['link', { rel: 'icon', href: icon }]],
  transformHead: ({ pageData: { relativePath, isNotFound } }) =>
    isNotFound ? [] : [['link', { rel: 'alternate', type: 'text/markdown', href: `${base}${relativePath}` }]],
  base,
  srcDir: root,
  cacheDir: join(modules, '.cache/vitepress'),
  // Each Markdown file that lib/pages.ts does not list.
  srcExclude: [
    '**/node_modules/**',
    '{api,bench,coverage,dist,out,proto,reports,scripts,src,test}/**',
    'site/dist*/**',
    'examples/*/*/**',
    'docs/parity/**',
    ...(withReference ? [] : [`${referenceFolder}/**`]),
  ],
  rewrites: placeOf,
  ...(origin !== undefined && { sitemap: { hostname: origin } }),
  vite: {
    plugins: [mendTheme(), runBlocks(runs)],
    publicDir: join(root, 'site/public'),
    // The pages stand outside of the folder whose node_modules hold Vue.
    resolve: {
      alias: [
        { find: 'vue/server-renderer', replacement: join(modules, 'vue/server-renderer/index.mjs') },
        { find: /^vue$/, replacement: join(modules, 'vue/dist/vue.runtime.esm-bundler.js') },
      ],
    },
    // The index of the search is one chunk, and is fetched by those who search.
    build: { chunkSizeWarningLimit: 2_000 },
    server: { fs: { allow: [root] } },
  },
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: slug },
    // Braces are text, as on GitHub.
    attrs: false,
    config(markdown) {
      changeLinks(markdown, pages, deadLinks);
      changeEmptyHeaders(markdown);
      wrapBlocks(markdown, examples, runs);
    },
  },
  async buildEnd({ outDir }) {
    if (deadLinks.size > 0) throw new Error(`these links lead nowhere:\n${[...deadLinks].join('\n')}`);
    if (withReference && notSearched.size === 0) throw new Error('the reference would fill the search');
    await writeTwins(pages, outDir);
    await writeHovers(withExamples, outDir);
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        // The reference repeats each name many times, which would hide the guides.
        _render(text, env, markdown) {
          if (!env.relativePath.startsWith(`${referenceFolder}/`)) return markdown.renderAsync(text, env);
          notSearched.add(env.relativePath);
          return '';
        },
      },
    },
    // Another name than that of the menu of the whole site, which is beside it on a narrow screen.
    sidebarMenuLabel: 'Pages',
    outline: { level: [2, 3] },
    nav: [
      { text: 'Start', link: '/readme' },
      { text: 'Guides', link: '/docs' },
      ...(withReference ? [{ text: 'Reference', link: '/api/arango-services/' }] : []),
      { text: 'Changelog', link: '/changelog' },
    ],
    sidebar: { '/api/': readReferenceBar(pages), '/': readSideBar(pages) },
    editLink: { pattern: `${repository}/edit/main/:path` },
  },
});
