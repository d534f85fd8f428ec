import type { RequestSummary } from '../kit/request-log.js';

/** A request as `--log` prints it: method, path, status and decision. No query, no header, no body; and nothing that a terminal obeys. */
export function logLine({ method, path, status, decision }: RequestSummary): string {
  const shown = path.replace(/[^\x21-\x7e]/g, '?');
  return [method, shown, status === 0 ? 'dropped' : String(status), ...(decision === undefined ? [] : [decision])].join(
    ' ',
  );
}
