import { jsonText } from '../../base/lib/json-text.js';
import { isObject } from '../../base/lib/values.js';

// Writes values as YAML 1.2. A string is written plain only if no version of YAML reads it as another type; otherwise
// it is quoted as in JSON.

const plain = /^[A-Za-z_][\w.-]*(?: [\w.-]+)*$/;
const words = /^(?:null|true|false|yes|no|on|off|y|n)$/i;
const widest = 120;
/** YAML requires "?" before a key of more than 1 024 characters. */
const longestKey = 1_001;

const textOf = (text: string): string => (plain.test(text) && !words.test(text) ? text : jsonText(text));

const fieldsOf = (value: object) => Object.entries(value).filter(([, field]) => field !== undefined);

/** Writes a value on one line. */
export function yamlFlow(value: unknown): string {
  if (typeof value === 'string') return textOf(value);
  if (Array.isArray(value)) return `[${value.map(yamlFlow).join(', ')}]`;
  if (!isObject(value)) return jsonText(value);
  const fields = fieldsOf(value).map(([key, field]) => `${textOf(key)}: ${yamlFlow(field)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}

/** The depth of a value: its indentation, and how many more levels may be blocks, with a line for each item. */
interface Depth {
  readonly indent: number;
  readonly open: number;
}

/** Writes the items of a list or a map as lines; `lead` is the beginning of the first one. */
function* linesOf(value: object, { indent, open }: Depth, lead = ' '.repeat(indent)): Generator<string> {
  const depth = { indent, open: open - 1 };
  let begin = lead;
  for (const [key, item] of Array.isArray(value) ? value.map((item) => [undefined, item]) : fieldsOf(value)) {
    const name = key === undefined ? '-' : `${textOf(key)}:`;
    const isLong = name.length > longestKey;
    if (isLong) yield `${begin}? ${name.slice(0, -1)}`;
    yield* itemLines(isLong ? `${' '.repeat(indent)}:` : `${begin}${name}`, item, depth, key === undefined);
    begin = ' '.repeat(indent);
  }
}

/** Writes one item behind its lead. With `goesOn`, the first line of a block continues the line of the lead. */
function* itemLines(lead: string, value: unknown, { indent, open }: Depth, goesOn: boolean): Generator<string> {
  const isBlock = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  const line = isBlock && open > 0 ? undefined : `${lead} ${yamlFlow(value)}`;
  if (line !== undefined && (!isBlock || line.length <= widest)) return yield line;
  const below = { indent: indent + 2, open };
  // The casts: only an object is written as a block.
  if (goesOn) return yield* linesOf(value as object, below, `${lead} `);
  yield lead;
  yield* linesOf(value as object, below);
}

/** Writes the items of a list or a map as lines with this indentation. */
export const yamlLines = (value: object, indent: number, open: number): readonly string[] => [
  ...linesOf(value, { indent, open }),
];
