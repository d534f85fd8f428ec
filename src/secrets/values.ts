// Shorter texts stand in many a message by chance.
const shortestText = 4;
// The length of a list counts as well.
const mostFields = 5_001;

/** The texts in a value and the names of its fields, at any depth; undefined if it has more fields than `most`. */
export function textsIn(value: unknown, most = mostFields): Set<unknown> | undefined {
  const found = new Set([value]);
  let looked = 0;
  // What is added meanwhile is visited, too, and once.
  for (const next of found) {
    if (Object(next) !== next) continue;
    // No getter is called: it may be the code of a schema's library, which must not meet its own prototypes.
    for (const [name, { value: below }] of Object.entries(Object.getOwnPropertyDescriptors(next))) {
      if (++looked > most) return undefined;
      if (!Array.isArray(next)) found.add(name);
      found.add(below);
    }
  }
  return found;
}

/** True if a message quotes a value, a text of four and more characters in it, or a shorter one between quotes. */
export function quotesValue(message: string, value: unknown): boolean {
  if (Object(value) !== value) return value !== undefined && value !== '' && holds(message, String(value));
  const texts = textsIn(value);
  // Too much to look through: the message is not worth it.
  if (texts === undefined) return true;
  const quoted = (text: string) => message.includes(`"${text}"`) || message.includes(`'${text}'`);
  return [...texts].some(
    (text) => typeof text === 'string' && (text.length < shortestText ? quoted(text) : holds(message, text)),
  );
}

/** As it is, or as JSON writes it. */
const holds = (message: string, text: string): boolean =>
  message.includes(text) || message.includes(JSON.stringify(text).slice(1, -1));
