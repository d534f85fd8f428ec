/** The text that `kubectl logs --prefix` and `docker compose logs` write before a line. */
const origin = /^(?:\[pod\/[^\]\s]+\] |[\w.-]+ +\| )/;
/** The time that both write with `--timestamps`. A pretty line begins with a time of its own. */
const timestamp = /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) (?=\{|\d{4}-\d\d-\d\dT)/;

/** Removes the text that tools write before a line when they collect logs, and the mark of a file that was appended. */
export function withoutPrefix(whole: string): string {
  const line = whole.startsWith('\ufeff') ? whole.slice(1) : whole;
  if (line.startsWith('{')) return line;
  return line.replace(origin, '').replace(timestamp, '');
}
