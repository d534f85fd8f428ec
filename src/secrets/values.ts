// Shorter texts stand in many a message by chance.
const shortestText = 4;
const mostTexts = 10_000;

/** Whether a message quotes a value, a text of four and more characters in it, or one of its keys. */
export function quotesValue(message: string, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) {
    const text = String(value);
    return value !== undefined && text !== '' && holds(message, text);
  }
  const open: unknown[] = [value];
  for (let looked = 0; open.length > 0; looked++) {
    // Too much to look through: the message is not worth it.
    if (looked > mostTexts) return true;
    const next = open.pop();
    if (typeof next === 'object' && next !== null) {
      for (const [key, below] of Object.entries(next)) open.push(Array.isArray(next) ? undefined : key, below);
    } else if (typeof next === 'string' && next.length >= shortestText && holds(message, next)) return true;
  }
  return Object.keys(value).some((key) => message.includes(`"${key}"`) || message.includes(`'${key}'`));
}

/** As it is, or as JSON writes it. */
const holds = (message: string, text: string): boolean =>
  message.includes(text) || message.includes(JSON.stringify(text).slice(1, -1));
