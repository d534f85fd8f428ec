import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type CustomRequest, createMock } from '../../../src/mock/index.js';

/** Sends a body to a custom route and returns what the route received. */
async function arrived(...args: Parameters<typeof fetch>): Promise<CustomRequest> {
  const mock = await createMock({ authentication: { mode: 'None' } });
  let seen: CustomRequest | undefined;
  mock.route('POST', '/here', (request) => {
    seen = request;
    return {};
  });
  expect((await mock.fetch(...args)).status).toBe(200);
  return seen ?? expect.fail('nothing arrived');
}

const url = 'http://mock.test/here';
const send = (body: unknown): Promise<CustomRequest> => arrived(url, { method: 'POST', body: body as BodyInit });

/** Classes of another realm, which `instanceof` does not recognize, like those of jsdom. */
class ForeignBlob {
  readonly type: string;
  readonly #blob: Blob;
  constructor(parts: BlobPart[], type = '') {
    this.#blob = new Blob(parts);
    this.type = type;
  }
  get size(): number {
    return this.#blob.size;
  }
  slice(start: number, end: number): ForeignBlob {
    return new ForeignBlob([this.#blob.slice(start, end)], this.type);
  }
  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#blob.arrayBuffer();
  }
}
class ForeignFile extends ForeignBlob {
  readonly name = 'a "file"\n.txt';
}
class ForeignForm {
  readonly entries: [string, unknown][];
  constructor(entries: [string, unknown][]) {
    this.entries = entries;
  }
  getAll(): unknown[] {
    return [];
  }
  [Symbol.iterator](): Iterator<[string, unknown]> {
    return this.entries[Symbol.iterator]();
  }
}

describe('bodies of mock.fetch', () => {
  it('encodes FormData of any realm as fetch does', async () => {
    const bytes = new Uint8Array([0, 13, 10, 255]);
    const entries: [string, unknown][] = [
      ['a "name"\n', 'ü\nx\r\ny\rz'],
      ['file', new ForeignFile([bytes], 'image/x')],
      ['file', new ForeignFile(['text'])],
    ];
    const { headers, body } = await send(new ForeignForm(entries));
    const type = headers.get('content-type') ?? '';
    const form = await new Response(body as Uint8Array<ArrayBuffer>, { headers: { 'content-type': type } }).formData();
    expect(form.get('a "name"\r\n')).toBe('ü\r\nx\r\ny\r\nz');
    const files = form.getAll('file') as File[]; // They were sent as files.
    expect(files.map((file) => [file.name, file.type])).toEqual([
      ['a "file"\n.txt', 'image/x'],
      ['a "file"\n.txt', 'application/octet-stream'],
    ]);
    expect(new Uint8Array((await files[0]?.arrayBuffer()) ?? [])).toEqual(bytes);
  });

  it('accepts a Blob of any realm, with its type', async () => {
    const { headers, body } = await send(new ForeignBlob(['{"a":1}'], 'application/json'));
    expect([headers.get('content-type'), body]).toEqual(['application/json', { a: 1 }]);
  });

  it('accepts a Blob that only a FileReader can read', async () => {
    const blob = { size: 2, type: '', slice: () => blob };
    class FileReader {
      result = new TextEncoder().encode('hi').buffer;
      onload = (): void => {};
      readAsArrayBuffer(given: unknown): void {
        if (given === blob) setTimeout(() => this.onload());
      }
    }
    vi.stubGlobal('FileReader', FileReader);
    onTestFinished(() => void vi.unstubAllGlobals());
    expect((await send(blob)).body).toEqual(new TextEncoder().encode('hi'));
  });

  it('accepts part of a buffer, a DataView and an ArrayBuffer', async () => {
    const { buffer } = new TextEncoder().encode('-abc-');
    for (const body of [new Uint8Array(buffer, 1, 3), new DataView(buffer, 1, 3), buffer.slice(1, 4)]) {
      expect((await send(body)).body).toEqual(new TextEncoder().encode('abc'));
    }
  });

  it('reads the body of a Request if the engine has no Request.body', async () => {
    const request = new Request(url, { method: 'POST', body: '{"a":1}' });
    Object.defineProperty(request, 'body', { value: undefined });
    expect((await arrived(request)).body).toBe('{"a":1}');
    const empty = new Request(url, { method: 'POST' });
    Object.defineProperty(empty, 'body', { value: undefined });
    expect((await arrived(empty)).body).toBeUndefined();
  });

  it('refuses a stream of text, as fetch does', async () => {
    const mock = await createMock({ authentication: { mode: 'None' } });
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue('text');
        controller.close();
      },
    });
    await expect(mock.fetch(url, { method: 'POST', body, duplex: 'half' } as RequestInit)).rejects.toThrow(TypeError);
  });
});
