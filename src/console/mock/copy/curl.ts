import { redacted } from '../../../base/secrets/redact.js';
import { shellWord, shellWordWithToken } from './shell.js';
import { copiedHeaders, isSizeOnly, type ShownRequest, targetOf } from './shown-request.js';

/** A header of curl: one without a value ends with a semicolon. */
function headerWord(name: string, value: string): string {
  if (value === '') return shellWord(`${name};`);
  const shown = name === 'authorization' && value === redacted ? `bearer ${redacted}` : value;
  return shellWordWithToken(`${name}: ${shown}`);
}

/** The arguments of curl that send a body, and a comment to write above the command. */
function bodyWords({ body }: ShownRequest): { readonly words: readonly string[]; readonly comment?: string } {
  if (body === undefined) return { words: [] };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  // A shell word cannot hold NUL.
  if (!isSizeOnly(body) && !text.includes('\0')) return { words: [`--data-raw ${shellWordWithToken(text)}`] };
  return { words: ['--data-binary @body'], comment: '# The log does not keep this body: write it to the file "body".' };
}

/**
 * A request as a command for a POSIX shell. Credentials are the variable `TOKEN`; everything else is quoted, so that
 * nothing of the request is run or expanded.
 * @param url the base URL of the platform.
 */
export function toCurl(request: ShownRequest, url: string): string {
  const { words, comment } = bodyWords(request);
  const { method } = request;
  const how = method === 'HEAD' ? '--head' : `--request ${shellWord(method)}`;
  const lines = [
    // Neither ranges like [1-9] in the URL nor dot segments are curl's to change.
    `curl --globoff --path-as-is ${how} ${shellWordWithToken(`${url}${targetOf(request)}`)}`,
    ...copiedHeaders(request).map(([name, value]) => `--header ${headerWord(name, value)}`),
    ...words,
  ];
  return [...(comment === undefined ? [] : [comment]), lines.join(' \\\n  ')].join('\n');
}
