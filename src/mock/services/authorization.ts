import type { Decision } from '../../policy/index.js';
import { sumUp } from '../../policy/model/shared-decision.js';
import type { Platform } from '../platform.js';
import type { TokenVerdict } from '../state/tokens.js';
import { json, type NeutralResponse, ServiceFailure } from '../wire/http.js';
import type { AskedItem, RequestSubject } from '../wire/mock-events.js';
import type { Exchange } from '../wire/mock-exchange.js';
import {
  bodyMessage,
  list,
  type MessageFields,
  message,
  optionalMessage,
  optionalText,
  text,
  texts,
} from '../wire/protobuf-json.js';
import { decide, ownerOf } from './decisions.js';
import { checkCall, judgeToken } from './presented-tokens.js';

/** Checks the types of a context, which decisions ignore. */
export function checkContext(value: unknown, field: string): void {
  const context = optionalMessage(value, field);
  if (context === undefined) return;
  const parameters = optionalMessage(context.parameters, `${field}.parameters`) ?? {};
  for (const parameter of Object.values(parameters)) {
    // Errors omit the names of parameters, which come from the caller.
    texts(message(parameter, `${field}.parameters.*`).values, `${field}.parameters.*.values`);
  }
}

function readItem(fields: MessageFields, at: string): AskedItem {
  const action = text(fields.action, `${at}action`);
  const resource = text(fields.resource, `${at}resource`);
  const { context } = fields;
  if (context === undefined) return { action, resource };
  checkContext(context, `${at}context`);
  return { action, resource, context };
}

function readItems(fields: MessageFields, { settings }: Platform): AskedItem[] {
  const { limits } = settings;
  if (Array.isArray(fields.items) && fields.items.length > limits.items) {
    throw new ServiceFailure(3, `items: more than ${limits.items}`);
  }
  return list(fields.items, 'items', (item, path) => readItem(message(item, path), `${path}.`));
}

function readSubject(fields: MessageFields): RequestSubject {
  return { user: optionalText(fields.user, 'user'), roles: texts(fields.roles, 'roles') };
}

function evaluateItem(
  exchange: Exchange,
  platform: Platform,
  subject: RequestSubject,
  item: AskedItem,
): Pick<Decision, 'message' | 'effect'> {
  const { effect, message: why } = decide(exchange, platform, { ...item, subject, api: 'evaluation' });
  return { message: why, effect };
}

/** Applies the newest permissions to decisions if the request asks for that. Source: docs/wire.md, "Refresh". */
function refreshIfAsked({ request }: Exchange, { version, store }: Platform): void {
  const header = request.headers.get('grpc-metadata-x-arangodb-authorization-refresh');
  if (version.refreshes && header === 'true') store.late.refresh();
}

/** `POST /refresh`: makes decisions see the newest permissions. */
export function refreshSidecar(exchange: Exchange, platform: Platform): NeutralResponse {
  bodyMessage(exchange, platform);
  checkCall(exchange, platform);
  platform.store.late.refresh();
  return json({});
}

function answerOne(exchange: Exchange, platform: Platform, subject: RequestSubject, item: AskedItem): NeutralResponse {
  checkCall(exchange, platform);
  refreshIfAsked(exchange, platform);
  exchange.user = subject.user;
  exchange.groups = subject.roles;
  return json(evaluateItem(exchange, platform, subject, item));
}

function answerMany(
  exchange: Exchange,
  platform: Platform,
  subject: RequestSubject,
  questions: readonly AskedItem[],
): NeutralResponse {
  checkCall(exchange, platform);
  refreshIfAsked(exchange, platform);
  exchange.user = subject.user;
  exchange.groups = subject.roles;
  const {
    message: why,
    effect,
    items,
  } = sumUp(questions.map((item) => evaluateItem(exchange, platform, subject, item)));
  exchange.decision = effect;
  return json({ message: why, effect, items });
}

/** `POST /evaluate`. */
export function evaluate(exchange: Exchange, platform: Platform): NeutralResponse {
  const fields = bodyMessage(exchange, platform);
  const subject = readSubject(fields);
  return answerOne(exchange, platform, subject, readItem(fields, ''));
}

/** `POST /evaluate-many`. */
export function evaluateMany(exchange: Exchange, platform: Platform): NeutralResponse {
  const fields = bodyMessage(exchange, platform);
  const subject = readSubject(fields);
  return answerMany(exchange, platform, subject, readItems(fields, platform));
}

/** Continues with the token's owner. An invalid token is FailedPrecondition. Synchronous if the token is cached. */
function forTokenOwner(
  exchange: Exchange,
  fields: MessageFields,
  platform: Platform,
  next: (owner: RequestSubject) => NeutralResponse,
): NeutralResponse | Promise<NeutralResponse> {
  const proceed = (verdict: TokenVerdict): NeutralResponse => {
    if (!verdict.valid) throw new ServiceFailure(9, 'JWT Token is invalid');
    return next(ownerOf(verdict.identity));
  };
  const token = text(fields.token, 'token');
  checkCall(exchange, platform);
  const verdict = judgeToken(platform, token);
  return verdict instanceof Promise ? verdict.then(proceed) : proceed(verdict);
}

/** `POST /evaluate-token`. */
export function evaluateToken(exchange: Exchange, platform: Platform): NeutralResponse | Promise<NeutralResponse> {
  const fields = bodyMessage(exchange, platform);
  const item = readItem(fields, '');
  return forTokenOwner(exchange, fields, platform, (subject) => answerOne(exchange, platform, subject, item));
}

export function evaluateTokenMany(exchange: Exchange, platform: Platform): NeutralResponse | Promise<NeutralResponse> {
  const fields = bodyMessage(exchange, platform);
  const items = readItems(fields, platform);
  return forTokenOwner(exchange, fields, platform, (subject) => answerMany(exchange, platform, subject, items));
}
