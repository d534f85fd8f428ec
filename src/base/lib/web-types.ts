// Types of web APIs that not every supported compiler can name: a back end may not have lib dom, and
// `Uint8Array` has a parameter only since TypeScript 5.7.

/** Bytes with their own buffer. */
export type Bytes = ReturnType<Uint8Array['slice']>;

/** A web stream of bytes with their own buffers; a Node stream is not one. */
export type ByteStream = ReadableStream<Bytes>;

/** The runtime's Web Crypto. */
export type Subtle = typeof crypto.subtle;

/** A key of Web Crypto. */
export type WebKey = Parameters<Subtle['verify']>[1];
