import { isHttpError } from '../../../base/errors.js';

/** The write of an upsert: `PUT` replaces, `POST` creates. */
type WriteMethod = 'PUT' | 'POST';

interface UpsertCalls<T> {
  /** Returns the stored value; undefined, or rejects with 404, if there is none. */
  readonly read: () => Promise<T | undefined>;
  readonly isSame: (stored: T) => boolean;
  readonly write: (method: WriteMethod) => Promise<T>;
}

const mostWrites = 6;
const statusOf = (error: unknown): number | undefined => (isHttpError(error) ? error.status : undefined);

/** Reads the stored value and writes unless it is the same. If reading is forbidden (403), it writes. */
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
      // Another writer may have deleted or created it in between.
      if (statusOf(error) !== (method === 'PUT' ? 404 : 409) || writes === mostWrites) throw error;
      method = method === 'PUT' ? 'POST' : 'PUT';
    }
  }
}
