/** True if a JSON text has more levels than `deepest`. Takes linear time, and no stack. */
export function isDeeper(json: string, deepest: number): boolean {
  let level = 0;
  for (let at = 0; at < json.length; at += 1) {
    const char = json[at];
    if (char === '[' || char === '{') level += 1;
    else if (char === ']' || char === '}') level -= 1;
    else if (char === '"') for (at += 1; at < json.length && json[at] !== '"'; at += 1) if (json[at] === '\\') at += 1;
    if (level > deepest) return true;
  }
  return false;
}
