import { crc32, deflateSync, inflateSync } from 'node:zlib';

const signatureBytes = 8;

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, sum]);
}

/** Compresses the pixels of a PNG as well as zlib can; browsers compress theirs fast. Other chunks go. */
export function shrinkPng(png: Buffer): Buffer {
  const chunks: { readonly type: string; readonly data: Buffer }[] = [];
  for (let at = signatureBytes; at < png.length; ) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  const all = (type: string) => Buffer.concat(chunks.filter((one) => one.type === type).map(({ data }) => data));
  const pixels = deflateSync(inflateSync(all('IDAT')), { level: 9, memLevel: 9 });
  const header = png.subarray(0, signatureBytes);
  return Buffer.concat([header, chunk('IHDR', all('IHDR')), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}
