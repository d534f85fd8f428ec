import { close, constants, createReadStream, fstat, open } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { resolve } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { isatty, ReadStream } from 'node:tty';
import { promisify } from 'node:util';
import type { ReadPermissionsOptions } from '../../../permissions/index.js';
import type { Surroundings } from './surroundings.js';
import { UsageError } from './usage-error.js';

/** Stands for stdin in place of the name of a file. */
const dash = '-';
const stdinName = '<stdin>';

/** One byte more than a file of permissions may have: enough for the refusal, whatever the size of the file. */
const mostBytes = 10_000_001;

const openFile = promisify(open);
const closeFile = promisify(close);
const statOpen = promisify(fstat);

/**
 * Opens a file, a pipe or a terminal. Not for blocking reads: a thread that waits for the writer of a pipe would keep
 * the process from ending at a signal.
 */
async function openReadable(file: string, most: number): Promise<Readable> {
  const fd = await openFile(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if ((await statOpen(fd)).isFIFO()) return new Socket({ fd, readable: true, writable: false });
    return isatty(fd) ? new ReadStream(fd) : createReadStream(file, { fd, end: most - 1 });
  } catch (error) {
    await closeFile(fd);
    throw error;
  }
}

async function readUpTo(readable: Readable, most: number, signal: AbortSignal): Promise<Buffer> {
  addAbortSignal(signal, readable);
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of readable) {
      chunks.push(Buffer.from(chunk));
      length += chunks.at(-1)?.length ?? 0;
      if (length >= most) break;
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
  return Buffer.concat(chunks).subarray(0, most);
}

/** False for a pipe or a device; true if there is no such file. */
const isRegular = async (file: string): Promise<boolean> => {
  const stats = await stat(file).catch(() => undefined);
  return stats === undefined || stats.isFile() || stats.isDirectory();
};

/** Resolves symbolic links. The link of an anonymous pipe (`/dev/fd/63`) leads nowhere. */
async function realPath(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch (error) {
    if (await isRegular(file)) throw error;
    return resolve(file);
  }
}

/** The inputs of a command: files, pipes, and stdin, which `-` names. Reading ends when the command is stopped. */
export class Inputs {
  readonly #surroundings: Surroundings;
  /** The flag or argument that stdin was read for, and its content. */
  #stdin: { readonly where: string; readonly content: Promise<Buffer> } | undefined;
  /** The contents of pipes, which can be read once. */
  readonly #pipes = new Map<string, Promise<Buffer>>();

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /**
   * Reads stdin, up to a size.
   * @param where the flag or argument that asks for it.
   * @throws UsageError if another one has read it.
   */
  stdin(where: string, most: number): Promise<Buffer> {
    const { stdin, signal } = this.#surroundings;
    this.#stdin ??= { where, content: readUpTo(stdin, most, signal) };
    const { where: first, content } = this.#stdin;
    if (first !== where) throw new UsageError({ where, message: `stdin is read already, for ${first}` });
    return content;
  }

  /** Reads a file or a pipe, up to a size; of a pipe, every call has the content that the first one read. */
  async file(file: string, most: number): Promise<Buffer> {
    const { signal } = this.#surroundings;
    const read = async () => readUpTo(await openReadable(file, most), most, signal);
    if (await isRegular(file)) return read();
    const content = this.#pipes.get(file) ?? read();
    this.#pipes.set(file, content);
    return content;
  }

  /** Reads a file, a pipe, or stdin if the name is `-`. */
  async read(where: string, name: string, most: number): Promise<Buffer> {
    return name === dash ? this.stdin(where, most) : this.file(name, most);
  }

  /**
   * Reads a file of any size, a pipe, or stdin, piece by piece.
   * @throws UsageError if another one has read stdin.
   */
  async *stream(where: string, name: string): AsyncGenerator<Uint8Array, void, undefined> {
    const { stdin, signal } = this.#surroundings;
    if (name === dash && this.#stdin !== undefined) {
      throw new UsageError({ where, message: `stdin is read already, for ${this.#stdin.where}` });
    }
    if (name === dash) this.#stdin = { where, content: Promise.resolve(Buffer.alloc(0)) };
    const readable = name === dash ? stdin : await openReadable(name, Number.POSITIVE_INFINITY);
    addAbortSignal(signal, readable);
    try {
      for await (const chunk of readable) yield Buffer.from(chunk);
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    }
  }

  /** The size of a file in bytes; undefined for stdin, a pipe, and a file that is missing. */
  async size(name: string): Promise<number | undefined> {
    if (name === dash) return undefined;
    const stats = await stat(name).catch(() => undefined);
    return stats?.isFile() ? stats.size : undefined;
  }

  /** True if a name can only be read once: that of stdin or of a pipe. */
  async isPassing(name: string): Promise<boolean> {
    return name === dash || !(await isRegular(name));
  }

  /**
   * The access of a file of permissions or tests to the disk, and its name in messages. Includes in stdin are relative
   * to the working directory.
   */
  permissions(where: string, name: string): ReadPermissionsOptions & { readonly file: string } {
    if (name !== dash) return { file: name, read: (path) => this.file(path, mostBytes), realPath };
    return {
      file: stdinName,
      read: async (path) => (path === stdinName ? this.stdin(where, mostBytes) : this.file(path, mostBytes)),
      realPath: async (path) => (path === stdinName ? resolve(path) : realPath(path)),
    };
  }
}
