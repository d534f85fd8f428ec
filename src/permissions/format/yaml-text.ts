import { jsonText } from '../../base/lib/json-text.js';
import { isObject } from '../../base/lib/values.js';

// Writes values as YAML 1.2. A string is written plain only if no version of YAML reads it as another type; otherwise
// it is quoted as in JSON.

const plain = /^[A-Za-z_][\w.-]*(?: [\w.-]+)*$/;
const words = /^(?:null|true|false|yes|no|on|off|y|n)$/i;
const widest = 120;
/** YAML requires "?" before a key of more than 1 024 characters. */
const longestKey = 1_000;

const textOf = (text: string): string => (plain.test(text) && !words.test(text) ? text : jsonText(text));

const fieldsOf = (value: object) => Object.entries(value).filter(([, field]) => field !== undefined);

/** Writes a value on one line. */
function flow(value: unknown): string {
  if (typeof value === 'string') return textOf(value);
  if (Array.isArray(value)) return `[${value.map(flow).join(', ')}]`;
  if (!isObject(value)) return jsonText(value);
  const fields = fieldsOf(value).map(([key, field]) => `${textOf(key)}: ${flow(field)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

/** Writes lines. `open` is the number of nested levels written as blocks, with a line for each item. */
class Writer {
  readonly lines: string[] = [];

  /** Writes the items of a list or map; `lead` is the beginning of the first line. */
  items(value: object, indent: number, open: number, lead = ' '.repeat(indent)): void {
    let begin = lead;
    for (const [key, item] of Array.isArray(value) ? value.map((one) => [undefined, one]) : fieldsOf(value)) {
      if (key === undefined) this.#item(`${begin}-`, item, indent, open - 1, true);
      else this.#field(begin, textOf(key), item, indent, open - 1);
      begin = ' '.repeat(indent);
    }
  }

  #field(begin: string, key: string, value: unknown, indent: number, open: number): void {
    const isLong = key.length > longestKey;
    if (isLong) this.lines.push(`${begin}? ${key}`);
    this.#item(isLong ? `${' '.repeat(indent)}:` : `${begin}${key}:`, value, indent, open, false);
  }

  #item(lead: string, value: unknown, indent: number, open: number, goesOn: boolean): void {
    const isBlock = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
    const line = isBlock && open > 0 ? undefined : `${lead} ${flow(value)}`;
    if (line !== undefined && (!isBlock || line.length <= widest)) this.lines.push(line);
    // The cast: only an object is written as a block.
    else if (goesOn) this.items(value as object, indent + 2, open, `${lead} `);
    else {
      this.lines.push(lead);
      this.items(value as object, indent + 2, open);
    }
  }
}

/** Writes the items of a list or a map as lines with this indentation. */
export function yamlLines(value: object, indent: number, open: number): readonly string[] {
  const writer = new Writer();
  writer.items(value, indent, open);
  return writer.lines;
}
