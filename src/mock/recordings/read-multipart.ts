/** A part of a multipart body. */
export interface BodyPart {
  readonly name: string;
  readonly filename: string | undefined;
  readonly type: string | undefined;
  readonly body: Buffer;
}

const headEnd = '\r\n\r\n';
const mostParts = 1_000;

/** Reads a parameter of `Content-Disposition`, with the escapes of browsers (`%22`) undone. */
function parameterOf(head: string, name: string): string | undefined {
  const line = /^content-disposition:.*$/im.exec(head)?.[0].replace(/;[ \t]*/g, '; ') ?? '';
  const at = line.indexOf(`; ${name}=`);
  if (at < 0) return undefined;
  const rest = line.slice(at + name.length + 3);
  if (!rest.startsWith('"')) return rest.split(';', 1)[0];
  let end = 1;
  while (end < rest.length && rest[end] !== '"') end += rest[end] === '\\' ? 2 : 1;
  return rest.slice(1, end).replace(/%22|\\"/g, '"');
}

/** The parts of a body of `multipart/form-data`, also without its last boundary; undefined if it is not one. */
export function readMultipart(body: Buffer, contentType: string): BodyPart[] | undefined {
  const [, inQuotes, plain] =
    /^multipart\/form-data\b.*?;\s*boundary=(?:"([^"]+)"|([^;\s"]+))/i.exec(contentType) ?? [];
  const boundary = inQuotes ?? plain;
  if (boundary === undefined) return undefined;
  const parts: BodyPart[] = [];
  let at = body.indexOf(`--${boundary}`);
  while (at >= 0 && parts.length <= mostParts) {
    at += boundary.length + 2;
    if (body.toString('latin1', at, at + 2) === '--') return parts;
    const start = body.indexOf(headEnd, at);
    if (start < 0) return undefined;
    const next = body.indexOf(`\r\n--${boundary}`, start + headEnd.length);
    const end = next < 0 ? body.length : next;
    const head = body.toString('utf8', at, start);
    parts.push({
      name: parameterOf(head, 'name') ?? '',
      filename: parameterOf(head, 'filename'),
      type: /^content-type:[ \t]*([^\r\n]*)/im.exec(head)?.[1],
      body: body.subarray(start + headEnd.length, end),
    });
    if (next < 0) return parts;
    at = end + 2;
  }
  return undefined;
}
