import { WireType } from '@bufbuild/protobuf/wire';

/** Beyond this length the runtime's encoder is faster. */
const longestByHand = 48;
const chunkBytes = 64 * 1024;

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) bytes++;
  return bytes;
}

/**
 * Writes protobuf messages one after the other. Text is encoded directly into a large buffer. The writer of
 * protobuf-es creates an array per text and copies it again for each enclosing message, which takes five times as
 * long.
 */
export class Writer {
  #chunk = Buffer.allocUnsafe(chunkBytes);
  /** Start and end of the bytes in the chunk that were not taken yet. */
  #start = 0;
  #end = 0;

  /** Returns the bytes written since the last call. */
  take(): Uint8Array {
    const bytes = this.#chunk.subarray(this.#start, this.#end);
    this.#start = this.#end;
    return bytes;
  }

  /** Writes a field with a number that is not negative. */
  number(no: number, value: number): void {
    this.#tag(no, WireType.Varint);
    this.#varint(value);
  }

  text(no: number, text: string): void {
    this.#tag(no, WireType.LengthDelimited);
    if (text.length <= longestByHand && this.#ascii(text)) return;
    const length = Buffer.byteLength(text);
    this.#varint(length);
    this.#reserve(length);
    this.#end += this.#chunk.write(text, this.#end);
  }

  bytes(no: number, bytes: Uint8Array): void {
    this.#tag(no, WireType.LengthDelimited);
    this.#varint(bytes.length);
    this.#reserve(bytes.length);
    this.#chunk.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  /** Writes a field with a nested message; `write` writes its fields. */
  message<T>(no: number, value: T, write: (writer: Writer, value: T) => void): void {
    this.#tag(no, WireType.LengthDelimited);
    this.delimited(value, write);
  }

  /** Writes the length of a message, and the message. */
  delimited<T>(value: T, write: (writer: Writer, value: T) => void): void {
    // Reserves one byte for the length, which suffices for most messages.
    this.#varint(0);
    const before = this.#end - this.#start;
    write(this, value);
    const length = this.#end - this.#start - before;
    const more = varintBytes(length) - 1;
    this.#reserve(more);
    const at = this.#start + before;
    if (more > 0) this.#chunk.copyWithin(at + more, at, this.#end);
    this.#end = at - 1;
    this.#varint(length);
    this.#end += length;
  }

  #tag(no: number, type: WireType): void {
    this.#varint((no << 3) | type);
  }

  #varint(value: number): void {
    this.#reserve(10);
    let rest = value;
    for (; rest > 0x7f; rest = Math.floor(rest / 128)) this.#chunk[this.#end++] = (rest % 128) | 0x80;
    this.#chunk[this.#end++] = rest;
  }

  /** Writes a short text and its length; returns false, and writes nothing, if it is not ASCII. */
  #ascii(text: string): boolean {
    this.#reserve(1 + text.length);
    const at = this.#end;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0x7f) return false;
      this.#chunk[at + 1 + i] = code;
    }
    this.#chunk[at] = text.length;
    this.#end = at + 1 + text.length;
    return true;
  }

  /** Makes room for more bytes. A new chunk is allocated, because callers may still hold bytes of the old one. */
  #reserve(bytes: number): void {
    if (this.#end + bytes <= this.#chunk.length) return;
    const open = this.#chunk.subarray(this.#start, this.#end);
    this.#chunk = Buffer.allocUnsafe(Math.max(chunkBytes, 2 * (open.length + bytes)));
    this.#chunk.set(open);
    this.#start = 0;
    this.#end = open.length;
  }
}
