export type { ByteSource } from '../../base/lib/chunks.js';
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
