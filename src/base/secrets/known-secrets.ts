import { isObject } from '../lib/values.js';
import { isSecretTextName } from './names.js';
import { redacted, redactText } from './redact.js';
import { spellingsOf } from './spellings.js';

const longest = 300;

/** Shorter texts may be parts of other words. */
const shortest = 6;

/** Makes a function that copies a value of an answer without secrets; long texts are cut. */
export function hideSecrets(secrets: Iterable<string>): (value: unknown, name: string) => unknown {
  const hidden = [...new Set([...secrets].filter((one) => one.length >= shortest).flatMap(spellingsOf))];
  hidden.sort((a, b) => b.length - a.length);
  const text = (value: string): string => {
    let shown = value;
    for (const one of hidden) shown = shown.replaceAll(one, redacted);
    shown = redactText(shown);
    return shown.length > longest ? `${shown.slice(0, longest)}…` : shown;
  };
  const copy = (value: unknown, name: string): unknown => {
    if (typeof value === 'string') return isSecretTextName(name) && value !== '' ? redacted : text(value);
    if (Array.isArray(value)) return value.map((item) => copy(item, name));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [text(key), copy(item, key)]));
  };
  return copy;
}
