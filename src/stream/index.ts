export type { ByteSource } from './chunks.js';
export { events, type ServerSentEvent } from './events.js';
export { type LineOptions, lines } from './lines.js';
export { ndjson } from './ndjson.js';
export { type Progress, type ProgressBody, type ProgressSource, progress } from './progress.js';
