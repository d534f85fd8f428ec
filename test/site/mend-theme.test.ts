import { expect, test } from 'vitest';
import { mendTheme } from '../../site/lib/mend-theme.ts';

/** The cast: the plugin's hook is this function, and needs nothing of Vite. */
const transform = mendTheme().transform as unknown as (code: string, id: string) => string | undefined;

test('a component of the theme that has another text than before ends the build', () => {
  expect(() => transform('<template />', '/vitepress/VPLocalSearchBox.vue')).toThrow(
    'VPLocalSearchBox.vue of VitePress',
  );
});

test('other components of the theme stay as they are', () => {
  expect(transform('<template />', '/vitepress/VPNav.vue')).toBeUndefined();
});
