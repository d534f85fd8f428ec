import type { Page } from 'playwright';
import { faultsOfLooks } from '../../console/drive/faults-of-looks.ts';
import { useColors } from './open-site.ts';

/** What axe finds in a page as it is now, in light and in dark, without what a selector names. */
export async function findViolations(page: Page, exclude = ''): Promise<readonly string[]> {
  const violations: string[] = [];
  for (const colors of ['light', 'dark'] as const) {
    await useColors(page, colors);
    violations.push(...(await faultsOfLooks(page, colors, colors === 'light' ? 'all' : 'colors', exclude)));
  }
  await useColors(page, 'light');
  return violations;
}
