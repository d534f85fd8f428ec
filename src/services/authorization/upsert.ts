import { isHttpError } from '../../errors.js';

/** What writes: `PUT` replaces what is there, `POST` makes what is not. */
type WriteMethod = 'PUT' | 'POST';

/** The calls of an upsert. */
interface UpsertCalls<T> {
  /** What is stored; undefined, or a 404, where there is nothing. */
  readonly read: () => Promise<T | undefined>;
  readonly isSame: (stored: T) => boolean;
  readonly write: (method: WriteMethod) => Promise<T>;
}

const mostWrites = 6;
const statusOf = (error: unknown): number | undefined => (isHttpError(error) ? error.status : undefined);

/** Reads what is stored and writes unless it is the same. Where reading is forbidden (403) it writes. */
export async function upsert<T extends object>({
  read,
  isSame,
  write,
}: UpsertCalls<T>): Promise<T & { readonly changed: boolean }> {
  let method: WriteMethod = 'PUT';
  try {
    const stored = await read();
    if (stored === undefined) method = 'POST';
    else if (isSame(stored)) return { ...stored, changed: false };
  } catch (error) {
    const status = statusOf(error);
    if (status === 404) method = 'POST';
    else if (status !== 403) throw error;
  }
  for (let writes = 1; ; writes++) {
    try {
      return { ...(await write(method)), changed: true };
    } catch (error) {
      // Somebody else may have deleted it, or made it, in between.
      if (statusOf(error) !== (method === 'PUT' ? 404 : 409) || writes === mostWrites) throw error;
      method = method === 'PUT' ? 'POST' : 'PUT';
    }
  }
}
