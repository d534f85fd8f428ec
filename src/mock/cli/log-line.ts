import type { LoggedRequest } from '../inspect.js';

/** A request as `--log` prints it: method, path, status and decision. No query, no header, no body; and nothing that a terminal obeys. */
export function logLine({
  method,
  path,
  status,
  decision,
}: Pick<LoggedRequest, 'method' | 'path' | 'status' | 'decision'>): string {
  const shown = path
    .replace(/[^\x21-\x7e]/g, '?')
    // A token that somebody put into a path is still a token.
    .replace(/eyJ[\w-]+\.[\w-]*\.?[\w-]*/g, '<redacted>');
  return [method, shown, status === 0 ? 'dropped' : String(status), ...(decision === undefined ? [] : [decision])].join(
    ' ',
  );
}
