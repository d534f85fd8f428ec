// The types of typed routes, which `events` and `paginate` take.

export type { ByteSource } from '../../base/lib/chunks.js';
export type * from '../../base/openapi-document/operation-types.js';
export type * from '../openapi/typed-types.js';
export {
  type EventOptions,
  events,
  type ServerSentEvent,
  type TypedEventArguments,
  type TypedEvents,
} from './events.js';
export { type LineOptions, readLines } from './lines.js';
export { ndjson } from './ndjson.js';
export {
  type PaginateOptions,
  type PartOfQuery,
  paginate,
  type TypedPage,
  type TypedPaginateOptions,
} from './paginate.js';
export { type Progress, type ProgressBody, type ProgressSource, progress } from './progress.js';
export type { Resume } from './resume.js';
export {
  type UploadBody,
  type UploadOptions,
  type UploadProgress,
  uploadWithProgress,
} from './upload-with-progress.js';
