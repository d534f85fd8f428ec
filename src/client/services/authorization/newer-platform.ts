import { isHttpError } from '../../../base/error-guards.js';
import { HttpError } from '../../../base/errors.js';

/** Waits for a call that only later platforms have; the error of others, which do not know the path, says so. */
export const onLaterPlatform = <T>(call: Promise<T>): Promise<T> =>
  call.catch((error: unknown) => {
    if (!isHttpError(error) || error.status !== 404 || error.reason !== 'Not Found') throw error;
    const { body, details, reason } = error;
    throw new HttpError(error, { ...error, reason: `${reason}: needs a newer platform`, body, details });
  });
