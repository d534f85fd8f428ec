import type { Plugin } from 'vite';

type Change = readonly [from: RegExp, to: string];

/** What components of VitePress's theme write, and what a screen reader needs in its place. */
const changes: ReadonlyMap<string, readonly Change[]> = new Map([
  [
    'VPLocalSearchBox.vue',
    [
      // A box with an input and buttons in it cannot be a button.
      [
        /role="button"\s+:aria-owns="[^"]*"\s+aria-expanded="true"\s+aria-haspopup="listbox"/,
        'role="dialog" aria-modal="true"',
      ],
      // The link of a result is the option: nothing inside of an option may have the focus.
      [/:id="'localsearch-item-' \+ index"\s+:aria-selected="[^"]*"\s+role="option"/, 'role="presentation"'],
      [
        /:aria-label="\[\.\.\.p\.titles, p\.title\]\.join\(' > '\)"/,
        `:id="'localsearch-item-' + index" role="option" :aria-selected="selectedIndex === index ? 'true' : 'false'"`,
      ],
      // The arrow on a key has no text.
      [/<kbd :aria-label/g, '<kbd role="img" :aria-label'],
    ],
  ],
  // A list of links outside of the page's text, which has to be a landmark.
  [
    'VPLocalNavOutlineDropdown.vue',
    [
      [
        /:id="itemsId" class="items"/,
        ':id="itemsId" class="items" role="navigation" :aria-label="resolveTitle(theme)"',
      ],
    ],
  ],
]);

/** Mends the roles of the theme's components. The build fails if a release of VitePress has another text. */
export const mendTheme = (): Plugin => ({
  name: 'mend-theme',
  enforce: 'pre',
  transform(code, id) {
    const name = id.split('/').at(-1) ?? '';
    return changes.get(name)?.reduce((text, [from, to]) => {
      if (text.search(from) < 0) throw new Error(`${name} of VitePress has no ${from}: see site/lib/mend-theme.ts`);
      return text.replace(from, to);
    }, code);
  },
});
