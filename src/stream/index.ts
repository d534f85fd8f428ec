export type { ByteSource } from './chunks.js';
export { type EventOptions, events, type ServerSentEvent } from './events.js';
export { type LineOptions, lines } from './lines.js';
export { ndjson } from './ndjson.js';
export { type PaginateOptions, paginate } from './paginate.js';
export { type Progress, type ProgressBody, type ProgressSource, progress } from './progress.js';
export type { Resume } from './resume.js';
