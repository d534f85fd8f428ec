/** A piece of code among values: it is written as it is. */
export class Code {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Characters that reorder or hide text in an editor. */
const hidden = /[\x7f-\x9f\p{Cf}\p{Zl}\p{Zp}]/gu;

const escapeUnits = (char: string): string =>
  Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`).join('');

/** Text as a string literal in single quotes. */
export function textLiteral(text: string): string {
  const inside = JSON.stringify(text).slice(1, -1);
  const single = inside.replace(/\\.|'/gs, (part) => (part === '\\"' ? '"' : part === "'" ? "\\'" : part));
  return `'${single.replace(hidden, escapeUnits)}'`;
}

/** A name of a field. The one that would set the prototype is computed. */
function fieldName(name: string): string {
  if (name === '__proto__') return "['__proto__']";
  return /^[a-z_$][\w$]*$/i.test(name) ? name : textLiteral(name);
}

const widest = 100;

/** A JSON value as an expression of JavaScript, over several lines if it is long. */
export function toLiteral(value: unknown, indent = ''): string {
  if (value instanceof Code) return value.text;
  if (typeof value === 'string') return textLiteral(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const items = isList
    ? value.map((item) => toLiteral(item, inner))
    : Object.entries(value).flatMap(([name, item]) =>
        item === undefined ? [] : `${fieldName(name)}: ${toLiteral(item, inner)}`,
      );
  if (items.length === 0) return isList ? '[]' : '{}';
  const line = items.join(', ');
  if (!line.includes('\n') && line.length + indent.length < widest) return isList ? `[${line}]` : `{ ${line} }`;
  const lines = items.map((item) => `${inner}${item},`).join('\n');
  return isList ? `[\n${lines}\n${indent}]` : `{\n${lines}\n${indent}}`;
}
