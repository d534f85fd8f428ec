import { isObject } from '../lib/values.js';
import { secretFinder } from './finder.js';
import { isSecretTextName } from './names.js';
import { redacted, redactText } from './redact.js';
import { spellingsOf } from './spellings.js';

const longest = 300;
/** The number of characters of a text that are searched; the rest is not shown. */
const searched = 4_096;
/** The most items and fields that are copied. */
const most = 50;

/** Shorter texts may be parts of other words. */
const shortest = 6;

/**
 * Makes a function that copies a value of an answer without secrets; long texts and lists are cut. A text with 18
 * characters of a secret is hidden, and so are texts, or names, that are together such a part.
 */
export function hideSecrets(secrets: Iterable<string>): (value: unknown, name: string) => unknown {
  const hidden = [...new Set([...secrets].filter((secret) => secret.length >= shortest).flatMap(spellingsOf))];
  hidden.sort((a, b) => b.length - a.length);
  const holds = secretFinder(secrets);
  const text = (value: string): string => {
    let redactedText = value.slice(0, searched);
    for (const secret of hidden) redactedText = redactedText.replaceAll(secret, redacted);
    redactedText = redactText(redactedText);
    if (holds(redactedText)) return redacted;
    return redactedText.length > longest ? `${redactedText.slice(0, longest)}…` : redactedText;
  };
  const copy = (value: unknown, name: string): unknown => {
    if (typeof value === 'string') return isSecretTextName(name) && value !== '' ? redacted : text(value);
    if (Array.isArray(value)) {
      const rest = value.length - most;
      return [...value.slice(0, most).map((item) => copy(item, name)), ...(rest > 0 ? [`and ${rest} more`] : [])];
    }
    if (!isObject(value)) return value;
    const entries = Object.entries(value);
    const fields = entries.slice(0, most).map(([key, item]) => [text(key), copy(item, key)]);
    return Object.fromEntries(entries.length > most ? [...fields, ['…', `${entries.length - most} more`]] : fields);
  };
  return (value, name) => {
    const excerpt = copy(value, name);
    const texts: string[] = [];
    const names: string[] = [];
    JSON.stringify(excerpt, (_, item: unknown) => {
      if (typeof item === 'string') texts.push(item);
      if (isObject(item)) names.push(...Object.keys(item));
      return item;
    });
    return [texts, names].some((all) => all.length > 1 && holds(all.join(''))) ? redacted : excerpt;
  };
}
