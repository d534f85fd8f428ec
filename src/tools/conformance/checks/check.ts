import { placeholdersOf, type QuestionRequest, type QuestionStep } from '../question-exchange.js';
import type { SentenceName } from '../sentences.js';

/** A question of a run, which may write. */
export interface RunStep extends QuestionStep {
  /** True if the services may need a moment after a write, so that the question is repeated until the answer fits. */
  readonly settles?: boolean;
  /** The pointer of an index, compared with the one before it in this check: the same, or greater. */
  readonly index?: string;
}

/** Questions that show one sentence of docs/wire.md. The mock's answers are the expected ones. */
export interface Check {
  /** Unique: `identity/no-token`. */
  readonly name: string;
  readonly says: SentenceName;
  readonly steps: readonly RunStep[];
}

/** A part of a deployment that has an address of its own. */
export type DeploymentPart = 'integration' | 'management' | 'root';

/** The part of a deployment that serves a path. */
export function partOf(path: string): DeploymentPart {
  if (/^\/_int/i.test(path)) return 'integration';
  return /^\/_manag/i.test(path) ? 'management' : 'root';
}

/** The tokens that a check sends. */
export const tokensOf = ({ steps }: Check): string[] => {
  const captured = new Set(steps.flatMap(({ capture = {} }) => Object.keys(capture)));
  return [...new Set(steps.flatMap(({ request }) => placeholdersOf(request)))].filter((name) => !captured.has(name));
};

export const authn = '/_integration/authn/v1';
export const authz = '/_integration/authorization/v1';
export const permissions = '/_management/permissions';

type More = Omit<RunStep, 'request'> & Pick<QuestionRequest, 'headers'>;

function step(request: QuestionRequest, { headers, ...more }: More): RunStep {
  return { request: { ...request, ...(headers && { headers }) }, ...more };
}

/** A POST with a JSON body. */
export const post = (path: string, body: unknown, more: More = {}) => step({ method: 'POST', path, body }, more);

/** A POST with any text as its body. */
export const postRaw = (path: string, raw: string, more: More = {}) => step({ method: 'POST', path, raw }, more);

/** A request without a body. */
export const send = (method: string, path: string, more: More = {}) => step({ method, path }, more);

export const get = (path: string, more: More = {}): RunStep => send('GET', path, more);

/** The header of a token, by its name. */
export const as = (token: string): { readonly authorization: string } => ({ authorization: `bearer {{${token}}}` });

/** A GET with a token, by its name. */
export const getAs = (token: string, path: string, more: More = {}): RunStep =>
  get(path, { ...more, headers: as(token) });

/** A check of one sentence. */
export const check = (name: string, says: SentenceName, ...steps: readonly RunStep[]): Check => ({ name, says, steps });

/** A check whose errors come from a parser of the services, so that only their kind is compared. */
export const checkLoosely = (name: string, says: SentenceName, ...steps: readonly RunStep[]): Check =>
  check(name, says, ...steps.map((step) => ({ ...step, volatile: [...(step.volatile ?? []), '/message'] })));
