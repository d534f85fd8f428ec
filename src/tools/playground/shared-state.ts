import { isPlainObject } from '../../base/lib/values.js';
import type { ConsoleState } from '../../console/api.js';
import { ConsoleError } from '../../console/error.js';
import type { MockConfig } from '../../mock/index.js';

/** The fields of a configuration that an address may contain: no passwords, keys or tokens. */
export type SharedConfig = Pick<MockConfig, 'policies' | 'roles' | 'bindings'>;

/** The maximum number of characters of a state in an address. */
export const mostShared = 32 * 1024;
/** The maximum size of an unpacked state in bytes, so that a short address cannot fill the memory. */
const mostUnpacked = 1024 * 1024;

const fields = ['policies', 'roles', 'bindings'];

function toBase64Url(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));

/** Reads a stream, but stops as soon as the limit is exceeded. */
async function readBounded(stream: ReadableStream<Uint8Array>, most: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > most) {
      reader.cancel().catch(() => {});
      throw new ConsoleError('invalid', `The state in the address unpacks to more than ${most} bytes.`);
    }
    chunks.push(value);
  }
  return new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer());
}

const through = (bytes: Uint8Array<ArrayBuffer>, transform: CompressionStream | DecompressionStream) =>
  new Blob([bytes]).stream().pipeThrough(transform);

/** Packs policies, roles and bindings for an address; undefined if the result is too long. */
export async function packState(state: ConsoleState): Promise<string | undefined> {
  const config = {
    policies: Object.fromEntries(state.policies.map(({ name, policy }) => [name, policy])),
    roles: Object.fromEntries(state.roles.map(({ name, role }) => [name, role])),
    bindings: state.bindings.map(({ user, role, scope }) => ({ user, role, ...(scope === null ? {} : { scope }) })),
  };
  const bytes = new TextEncoder().encode(JSON.stringify(config));
  if (bytes.length > mostUnpacked) return undefined;
  const packed = toBase64Url(await readBounded(through(bytes, new CompressionStream('deflate-raw')), mostUnpacked));
  return packed.length > mostShared ? undefined : packed;
}

/**
 * Unpacks the state of an address. The result is untrusted: the mock validates every field, like those of any
 * configuration.
 * @throws ConsoleError with code `invalid`.
 */
export async function unpackState(text: string): Promise<SharedConfig> {
  if (text.length > mostShared) {
    throw new ConsoleError('invalid', `The state in the address has more than ${mostShared} characters.`);
  }
  let value: unknown;
  try {
    const bytes = await readBounded(through(fromBase64Url(text), new DecompressionStream('deflate-raw')), mostUnpacked);
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof ConsoleError) throw error;
    throw new ConsoleError('invalid', 'The state in the address cannot be read. Was the address cut off?');
  }
  const others = isPlainObject(value) ? Object.keys(value).filter((name) => !fields.includes(name)) : ['no object'];
  if (others.length > 0) {
    throw new ConsoleError(
      'invalid',
      'The state in the address may hold policies, roles and bindings, and nothing else.',
    );
  }
  // The cast: `createMock` validates it.
  return value as SharedConfig;
}
