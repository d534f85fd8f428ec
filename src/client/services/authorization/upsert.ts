/** The write of an upsert: `PUT` replaces, `POST` creates. */
type WriteMethod = 'PUT' | 'POST';

const mostWrites = 6;
const statusOf = (error: unknown): unknown => Object(error).status;

/**
 * Reads the stored value and writes unless it is the same. If reading is forbidden (403), it writes.
 * @param read returns the stored value; undefined, or rejects with 404, if there is none.
 */
export async function upsert<T extends object>(
  read: () => Promise<T | undefined>,
  isSame: (stored: T) => boolean,
  write: (method: WriteMethod) => Promise<T>,
): Promise<T & { readonly changed: boolean }> {
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
