/** The content of a JSON file, or the problem with it and its place. */
export type JsonReading =
  | { readonly value: unknown }
  | { readonly problem: { readonly where: string; readonly message: string } };

/** The first key, other than `allowed`, that an object of valid JSON has twice; undefined if there is none. */
export function findTwice(
  text: string,
  allowed?: string,
): { readonly offset: number; readonly key: string } | undefined {
  // The keys of each open object; undefined for a list.
  const open: (Set<string> | undefined)[] = [];
  let isKey = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '{' || character === '[') {
      open.push(character === '{' ? new Set() : undefined);
      isKey = character === '{';
    } else if (character === '}' || character === ']') open.pop();
    else if (character === ',') isKey = open.at(-1) !== undefined;
    else if (character === '"') {
      const start = at;
      for (at += 1; text[at] !== '"'; at++) if (text[at] === '\\') at += 1;
      if (!isKey) continue;
      isKey = false;
      // The cast: the text is valid JSON. One key may be written in several ways.
      const raw = text.slice(start, at + 1);
      const key = raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1);
      const keys = open.at(-1);
      if (keys?.has(key) && key !== allowed) return { offset: start, key };
      keys?.add(key);
    }
  }
  return undefined;
}

/**
 * Reads the text of a JSON file, with or without a byte order mark. Refuses a key that stands twice in one object,
 * because `JSON.parse` would silently keep the last value. Problems quote nothing of the file but such a key.
 */
export function readJsonFile(file: string, content: string): JsonReading {
  const text = content.replace(/^\ufeff/, '');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The engine's own message quotes the file, which may hold passwords and keys; only the position is kept.
    const [place] = /line \d+ column \d+/.exec(error instanceof Error ? error.message : '') ?? [];
    return { problem: { where: file, message: `is not valid JSON${place === undefined ? '' : ` (${place})`}` } };
  }
  const twice = findTwice(text);
  if (twice === undefined) return { value };
  const before = text.slice(0, twice.offset).split('\n');
  const where = `${file}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
  return { problem: { where, message: `the key ${JSON.stringify(twice.key)} is there twice` } };
}
