import { createHash, randomUUID } from 'node:crypto';
import { Hono } from 'hono';

interface Stored {
  readonly id: string;
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The files service: uploads, bytes, and the list of files as lines and as events. The gateway has authenticated. */
export function createService() {
  const files = new Map<string, Stored>();
  const shown = ({ id, name, bytes }: Stored) => ({
    id,
    name,
    size: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  });
  const streamOf = (all: readonly string[]) =>
    new ReadableStream<Uint8Array>({
      start(controller) {
        for (const one of all) controller.enqueue(new TextEncoder().encode(one));
        controller.close();
      },
    });
  const app = new Hono();

  app.post('/files', async (c) => {
    const { file } = await c.req.parseBody();
    if (!(file instanceof File)) return c.json({ message: 'expected the part "file"' }, 400);
    const stored = { id: randomUUID(), name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) };
    files.set(stored.id, stored);
    return c.json(shown(stored), 201, { location: `/files/${stored.id}` });
  });
  app.get('/files', (c) =>
    c.body(streamOf(Array.from(files.values(), (one) => `${JSON.stringify(shown(one))}\n`)), 200, {
      'content-type': 'application/x-ndjson',
    }),
  );
  app.get('/files/:id', (c) => {
    const file = files.get(c.req.param('id'));
    if (file === undefined) return c.notFound();
    return c.body(file.bytes, 200, { 'content-type': 'application/octet-stream' });
  });
  app.put('/files/:id', async (c) => {
    const file = files.get(c.req.param('id'));
    if (file === undefined) return c.notFound();
    const stored = { ...file, bytes: new Uint8Array(await c.req.arrayBuffer()) };
    files.set(stored.id, stored);
    return c.json(shown(stored));
  });
  app.get('/files/:id/blocks', (c) => {
    const file = files.get(c.req.param('id'));
    if (file === undefined) return c.notFound();
    const blocks = Array.from({ length: 3 }, (_, i) => file.bytes.slice(i * 20, i * 20 + 20));
    const events = blocks.map((block, i) => `id: ${i}\nevent: block\ndata: ${JSON.stringify([...block])}\n\n`);
    return c.body(streamOf(events), 200, { 'content-type': 'text/event-stream' });
  });
  app.delete('/files/:id', (c) => (files.delete(c.req.param('id')) ? c.body(null, 204) : c.body(null, 404)));
  return app;
}
