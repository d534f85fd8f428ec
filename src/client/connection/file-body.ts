import { type CallInfo, UploadError } from '../../base/errors.js';
import { causesOf } from '../../base/lib/causes.js';
import { hasMethod } from '../../base/lib/values.js';
import { multipart } from './multipart.js';

/**
 * Encodes a form with files for Node; undefined for any other body. Node's own encoding of a file that has changed or
 * is gone ends the process by a rejection that cannot be handled, and the request never ends.
 */
export function encodeFiles(body: unknown): Blob | undefined {
  if (!hasMethod(body, 'getAll') || hasMethod(body, 'sort')) return undefined;
  // The cast: only a form has the one method and not the other.
  const form = body as FormData;
  return [...form.values()].some((part) => typeof part !== 'string') ? multipart(form) : undefined;
}

/** The failure of a Blob that cannot be read, as of a file that has changed since `fs.openAsBlob`. */
export function unreadable(error: unknown, callInfo: CallInfo): UploadError | undefined {
  const found = causesOf(error).find(({ name }) => name === 'NotReadableError');
  return found && new UploadError(callInfo, found);
}
