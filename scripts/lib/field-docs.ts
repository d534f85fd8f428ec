/**
 * Reads the docstrings of the fields of interfaces, by `Interface.field.field`. It reads source as the formatter
 * of this project writes it: a field, or the end of an object, on a line of its own.
 */
export function readFieldDocs(source: string): Map<string, string> {
  const docs = new Map<string, string>();
  const path: string[] = [];
  let doc = '';
  const lines = source.split('\n').map((text) => text.trim());
  for (const [index, line] of lines.entries()) {
    const opened = /^export interface (\w+).*\{$/.exec(line);
    // An object or undefined: the object begins on the next line, as `| {`.
    const opensBelow = /^\| (?:readonly )?\{$/.test(lines[index + 1] ?? '');
    const field = (opensBelow ? /^readonly ([\w$]+)\?:$/ : /^readonly ([\w$]+)\??: .*$/).exec(line);
    if (line.startsWith('/**')) doc = '';
    if (/^(?:\/\*\*|\*)/.test(line)) doc = `${doc} ${line.replace(/^\/?\*+\/?|\*\/$/g, '').trim()}`.trim();
    else if (opened !== null) path.splice(0, path.length, opened[1] ?? '');
    else if (field !== null && path.length > 0) {
      path.push(field[1] ?? '');
      docs.set(path.join('.'), doc);
      if (!line.endsWith('{') && !opensBelow) path.pop();
    } else if (line.startsWith('}')) path.pop();
    if (!/^(?:\/\*\*|\*)/.test(line)) doc = '';
  }
  return docs;
}
