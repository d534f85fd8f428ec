/** The types of a page's names, as `site/lib/hovers.ts` writes them. */
export interface PageTypes {
  readonly texts: readonly string[];
  /**
   * By the line of a block in its file: the names of the block with their line in it (from 0), column, length and the
   * index of their text.
   */
  readonly blocks: Readonly<
    Record<number, readonly (readonly [line: number, column: number, length: number, text: number])[]>
  >;
}

/** Loads the types of pages, each page once, and again after a failure. */
export function createLoader(addressOf: (page: string) => string): (page: string) => Promise<PageTypes> {
  const pages = new Map<string, Promise<PageTypes>>();
  async function load(page: string): Promise<PageTypes> {
    const response = await fetch(addressOf(page));
    if (!response.ok) throw new Error(`the types of ${page}: status ${response.status}`);
    return response.json();
  }
  return (page) => {
    const before = pages.get(page);
    if (before !== undefined) return before;
    const loaded = load(page);
    pages.set(page, loaded);
    loaded.catch(() => pages.delete(page));
    return loaded;
  };
}
