import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { MockConfig } from '../../../src/mock/index.js';

/** A recording of the real services: questions with their answers and the lines that were logged. */
export interface RecordedLog {
  readonly type: 'central' | 'central-permissive' | 'always' | 'never';
  readonly format: 'JSON' | 'pretty';
  readonly level: 'info' | 'debug';
  readonly state: Pick<MockConfig, 'policies' | 'roles' | 'bindings'>;
  readonly at: string;
  readonly steps: readonly RecordedStep[];
}

interface RecordedStep {
  readonly request: { readonly method: string; readonly path: string; readonly body?: Record<string, unknown> };
  readonly status: number;
  readonly response: Record<string, unknown>;
  readonly log: readonly string[];
}

const folder = new URL('../../vectors/logs/', import.meta.url);

/** All recordings by the name of their file. */
export const recordings: readonly (readonly [file: string, log: RecordedLog])[] = readdirSync(folder).map((file) => [
  file,
  JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as RecordedLog,
]);

/** The secret of the mock; that of the recordings is not known. */
export const secret = 'the secret of a mock that plays recordings';

/** Signs the claims of a recorded token with the mock's secret, so that its length stays. */
export function resign(token: string): string {
  const [header, claims] = token.split('.');
  if (claims === undefined) return token;
  const key = Buffer.alloc(64);
  key.write(secret);
  return `${header}.${claims}.${createHmac('sha256', key).update(`${header}.${claims}`).digest('base64url')}`;
}
