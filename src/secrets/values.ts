// Shorter strings appear in many messages by chance.
const shortestText = 4;
// The length of a list counts, too.
const mostFields = 5_001;

/** Collects the strings in a value and its field names, at any depth; undefined for more than `most` fields. */
export function textsIn(value: unknown, most = mostFields): Set<unknown> | undefined {
  const found = new Set([value]);
  let looked = 0;
  // Entries added during the loop are visited, too, once each.
  for (const next of found) {
    if (Object(next) !== next) continue;
    // Calls no getters: they may belong to a schema library and fail on its own prototypes.
    for (const [name, { value: below }] of Object.entries(Object.getOwnPropertyDescriptors(next))) {
      if (++looked > most) return undefined;
      if (!Array.isArray(next)) found.add(name);
      found.add(below);
    }
  }
  return found;
}

/** True if a message quotes a string of a value: one of four or more characters, or a shorter one between quotes. */
export function quotesValue(message: string, value: unknown): boolean {
  if (Object(value) !== value) return value !== undefined && value !== '' && holds(message, String(value));
  const texts = textsIn(value);
  // Too large to search, so the message is dropped.
  if (texts === undefined) return true;
  const quoted = (text: string) => message.includes(`"${text}"`) || message.includes(`'${text}'`);
  return [...texts].some(
    (text) => typeof text === 'string' && (text.length < shortestText ? quoted(text) : holds(message, text)),
  );
}

/** Searches for the plain string and for its JSON form. */
const holds = (message: string, text: string): boolean =>
  message.includes(text) || message.includes(JSON.stringify(text).slice(1, -1));
