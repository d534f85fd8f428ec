import { HttpError, isHttpError } from '../../../base/errors.js';

/** True if the platform does not have the path of a call: its services answer 404 to unknown paths. */
export const isUnknownPath = (error: unknown): error is HttpError =>
  isHttpError(error) && error.status === 404 && error.reason === 'Not Found';

/** Waits for a call that only later platforms have; the error of others says so. */
export const onLaterPlatform = <T>(call: Promise<T>): Promise<T> =>
  call.catch((error: unknown) => {
    if (!isUnknownPath(error)) throw error;
    const reason = `${error.reason}: needs a later version of the platform`;
    const { body, details } = error;
    throw new HttpError(error, { ...error, reason, body, details });
  });
