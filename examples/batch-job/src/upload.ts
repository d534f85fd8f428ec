import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Client } from 'arango-services';
import { ndjson } from 'arango-services/stream';
import * as z from 'zod/mini';

/** A row of the file. Other fields are not sent. */
const Order = z.object({ id: z.string(), total: z.number() });
const Import = z.object({ rows: z.number() });

/** Rows as NDJSON, and the number of rows before them. */
interface Part {
  readonly first: number;
  readonly text: string;
  readonly rows: number;
}

/** Groups the rows of a file behind the first `skipped` ones into parts of about `size` characters. */
async function* readParts(input: AsyncIterable<Uint8Array>, skipped: number, size: number): AsyncGenerator<Part> {
  let [first, rows, text] = [skipped, 0, ''];
  let row = 0;
  for await (const order of ndjson(input, Order)) {
    row += 1;
    if (row <= skipped) continue;
    text += `${JSON.stringify(order)}\n`;
    rows += 1;
    if (text.length < size) continue;
    yield { first, text, rows };
    [first, rows, text] = [first + rows, 0, ''];
  }
  if (rows > 0) yield { first, text, rows };
}

/** The same file is the same import; a changed one begins anew. */
async function identify(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}

/**
 * Uploads the rows of an NDJSON file, and continues behind those that the archive has already. Returns the number of
 * rows that were sent.
 */
export async function upload(client: Client, file: string, onProgress: (fraction: number) => void, partSize = 2 ** 20) {
  // Retries are safe: a part has a name of its own, so the archive replaces one that arrives twice.
  const archive = client.route(['archive', 'imports', await identify(file)]).with({ timeout: 60_000, retry: 3 });
  const parts = archive.with({ headers: { 'content-type': 'application/x-ndjson' } });
  // The archive is asked, and no file here: only the archive knows if the part that was on its way arrived.
  const stored = await archive.with({ schema: Import, allowStatus: [404] }).get();
  const { size } = await stat(file);
  const input = createReadStream(file);
  const before = stored.ok ? stored.body.rows : 0;
  let end = before;
  for await (const part of readParts(input, before, partSize)) {
    await parts.put(String(part.first), part.text);
    end = part.first + part.rows;
    onProgress(input.bytesRead / size);
  }
  await archive.put({ rows: end });
  onProgress(1);
  return end - before;
}
