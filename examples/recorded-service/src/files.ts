import type { Client } from 'arango-services';
import { events, ndjson } from 'arango-services/stream';

/** A file of the service. */
export interface StoredFile {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly sha256: string;
}

/** What the application does with files. */
export function createFiles(client: Client) {
  const files = client.service('files').route('files');
  const streams = files.with({ responseType: 'stream' });
  return {
    async upload(name: string, bytes: BlobPart): Promise<StoredFile> {
      const form = new FormData();
      form.set('title', name);
      form.set('file', new Blob([bytes]), name);
      return (await files.post<StoredFile>(form)).body;
    },
    async replace(id: string, bytes: Uint8Array<ArrayBuffer>): Promise<StoredFile> {
      return (await files.put<StoredFile>(id, bytes)).body;
    },
    async download(id: string): Promise<Uint8Array> {
      const { body } = await files.with({ responseType: 'bytes' }).get(id);
      return body ?? new Uint8Array();
    },
    /** The file in blocks, which the service sends as events. */
    async *blocks(id: string): AsyncGenerator<Uint8Array> {
      const { body } = await streams.get(`${id}/blocks`);
      for await (const { data } of events(body)) yield Uint8Array.from(JSON.parse(data));
    },
    async names(): Promise<string[]> {
      const names: string[] = [];
      const { body } = await streams.get();
      for await (const file of ndjson(body)) names.push((file as StoredFile).name);
      return names;
    },
    async remove(id: string): Promise<void> {
      await files.delete(id);
    },
  };
}
