import { readdirSync, readFileSync } from 'node:fs';
import { root } from './exec.ts';

/** One recorded exchange, decision or stream, as a line of text that patterns can look at. */
export interface Evidence {
  /** The path of the file, from the clone's folder. */
  readonly recording: string;
  /** The day of the recording; null if its file names none. */
  readonly date: string | null;
  /** The configuration, then `> METHOD path headers body [tokens] => status headers body # note`. */
  readonly text: string;
}

interface Recording {
  readonly at?: string;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly steps: readonly Record<string, unknown>[];
}

interface Exchange {
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly headers?: object;
    readonly body?: unknown;
    readonly raw?: string;
  };
  readonly response: { readonly status: number; readonly headers?: object; readonly body?: unknown };
  readonly note?: string;
}

const folder = 'test/vectors';

/** The files of a folder with an ending, in order. */
const list = (path: string, end: string): string[] =>
  readdirSync(root + path)
    .filter((file) => file.endsWith(end))
    .sort()
    .map((file) => `${path}/${file}`);

const json = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value));

/** The header and the claims of the tokens in a text, decoded. */
function describeTokens(text: string): string {
  const tokens = text.match(/\bey[\w-]+\.[\w-]+\.[\w-]*/g) ?? [];
  const decode = (part: string) => Buffer.from(part, 'base64url').toString();
  return tokens.map((token) => token.split('.').slice(0, 2).map(decode).join(' ')).join(' ');
}

function describeStep(step: Record<string, unknown>): string {
  if (!('response' in step)) return json(step);
  // The cast: steps with a response are exchanges.
  const { request, response, note = '' } = step as unknown as Exchange;
  const sent = `${request.method} ${request.path} ${json(request.headers ?? {})} ${request.raw ?? json(request.body)}`;
  const answer = `${response.status} ${json(response.headers ?? {})} ${json(response.body)}`;
  return `${sent} [${describeTokens(sent)}] => ${answer} # ${note}`;
}

function readRecording(path: string): Evidence[] {
  const { at, config = {}, steps } = JSON.parse(readFileSync(root + path, 'utf8')) as Recording;
  const { policies: _policies, roles: _roles, bindings: _bindings, ...settings } = config;
  const date = at?.slice(0, 10) ?? null;
  return steps.map((step) => ({ recording: path, date, text: `${json(settings)} > ${describeStep(step)}` }));
}

/** Decisions of the real evaluator: a line for each state. */
function readDecisions(path: string): Evidence[] {
  const lines = readFileSync(root + path, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((text) => ({ recording: path, date: null, text }));
}

/** Everything that was recorded of the real services, in the order of the files. */
export function readEvidence(): Evidence[] {
  return [
    ...list(folder, '.json').flatMap(readRecording),
    ...list(`${folder}/raw`, '.json').flatMap(readRecording),
    ...list(`${folder}/streams`, '.json').flatMap(readRecording),
    ...list(folder, '.jsonl').flatMap(readDecisions),
  ];
}
