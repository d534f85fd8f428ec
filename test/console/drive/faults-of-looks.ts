import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright';

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
/** The dark page has the elements of the light one, in other colors. */
const rulesOfColors = { runOnly: ['color-contrast', 'link-in-text-block'] };

/** The pixels by which a view is wider than the page. A view scrolls by itself. */
const overflow = `Math.max(...[document.documentElement, ...document.querySelectorAll('.page')].map(
  (one) => one.scrollWidth - one.clientWidth))`;

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/**
 * The violations that axe finds in a view, without what a selector names, and its width if it is wider than the page.
 */
export async function faultsOfLooks(
  page: Page,
  name: string,
  rules: 'all' | 'colors',
  exclude = '',
): Promise<readonly string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe);
  const context = { include: ['html'], exclude: exclude === '' ? [] : [exclude] };
  const options = { resultTypes: ['violations'], ...(rules === 'colors' && rulesOfColors) };
  // The cast: the answer of axe.
  const results = (await page.evaluate(`axe.run(${JSON.stringify(context)}, ${JSON.stringify(options)})`)) as {
    readonly violations: readonly Violation[];
  };
  const found = results.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${name}: ${id}: ${html}: ${failureSummary}`),
  );
  const over = Number(await page.evaluate(overflow));
  return over > 0 ? [...found, `${name} is ${over} px wider than the page`] : found;
}
