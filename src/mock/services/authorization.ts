import type { Identity } from '../../jwt/claims.js';
import { decideAs } from '../../policy/authorization-type.js';
import type { Platform } from '../platform.js';
import type { Verdict } from '../state/tokens.js';
import type { Exchange } from '../wire/exchange.js';
import { json, type NeutralResponse, ServiceFailure } from '../wire/http.js';
import {
  bodyMessage,
  type Fields,
  list,
  message,
  optionalMessage,
  optionalText,
  text,
  texts,
} from '../wire/protobuf-json.js';
import { verify } from './access.js';

/** Whose permission is asked for. */
export interface Who {
  readonly user: string | undefined;
  readonly roles: readonly string[];
}

/** A decision with the service's own text. */
export interface Answer {
  readonly effect: 'Allow' | 'Deny';
  readonly allowed: boolean;
  readonly message: string;
}

/** Which API asks: they differ in who the superuser is and in what a broken policy does. */
type Asker = 'evaluation' | 'management';

/** Whether somebody without a user is the superuser, or a subject by roles alone. */
function isSuperuser({ fidelity }: Platform, { user, roles }: Who, asker: Asker): boolean {
  if (user !== undefined) return false;
  return roles.length === 0 || (asker === 'evaluation' && !fidelity.rolesMakeSubject);
}

/** What the policies say, whatever the authorization type. @throws ServiceFailure when the evaluation itself fails. */
export function askPolicies(platform: Platform, who: Who, action: string, resource: string, asker: Asker): Answer {
  const { store, faults, fidelity } = platform;
  if (faults.takeEvaluation()) throw new ServiceFailure(13, 'evaluation failed');
  const evaluator = store.evaluator();
  if (isSuperuser(platform, who, asker)) return evaluator.evaluate({ superuser: true, action, resource });
  const { user, roles } = who;
  if (asker === 'management' && user !== undefined && !fidelity.refusesOddPatterns) {
    const broken = evaluator.faults(user).find(({ segment }) => segment !== undefined);
    if (broken !== undefined) throw new ServiceFailure(13, `invalid policy statement: ${broken.segment}`);
  }
  return evaluator.evaluate(user === undefined ? { roles, action, resource } : { user, roles, action, resource });
}

/** Decides, as the authorization type says. */
export function decide(platform: Platform, who: Who, action: string, resource: string, asker: Asker): Answer {
  const { settings, fidelity } = platform;
  return decideAs(settings.authorization.type, fidelity, () => askPolicies(platform, who, action, resource, asker));
}

interface Item {
  readonly action: string;
  readonly resource: string;
}

/** The context is checked for its types only: it does not count. */
function checkContext(value: unknown, field: string): void {
  const context = optionalMessage(value, field);
  if (context === undefined) return;
  const parameters = optionalMessage(context.parameters, `${field}.parameters`) ?? {};
  for (const parameter of Object.values(parameters)) {
    // A name of a parameter is the caller's: it is not put into the error.
    texts(message(parameter, `${field}.parameters.*`).values, `${field}.parameters.*.values`);
  }
}

function readItem(fields: Fields, at: string): Item {
  const action = text(fields.action, `${at}action`);
  const resource = text(fields.resource, `${at}resource`);
  if (fields.context !== undefined) checkContext(fields.context, `${at}context`);
  return { action, resource };
}

function readItems(fields: Fields, { settings }: Platform): Item[] {
  const { limits } = settings;
  if (Array.isArray(fields.items) && fields.items.length > limits.items) {
    throw new ServiceFailure(3, `items: more than ${limits.items}`);
  }
  return list(fields.items, 'items', (item, path) => readItem(message(item, path), `${path}.`));
}

function readWho(fields: Fields): Who {
  return { user: optionalText(fields.user, 'user'), roles: texts(fields.roles, 'roles') };
}

function answerOne(exchange: Exchange, platform: Platform, who: Who, { action, resource }: Item): NeutralResponse {
  exchange.user = who.user;
  const { effect, message: why } = decide(platform, who, action, resource, 'evaluation');
  exchange.decision = effect;
  return json({ message: why, effect });
}

function answerMany(exchange: Exchange, platform: Platform, who: Who, asked: readonly Item[]): NeutralResponse {
  exchange.user = who.user;
  const items = asked.map(({ action, resource }) => {
    const { effect, message: why } = decide(platform, who, action, resource, 'evaluation');
    return { message: why, effect };
  });
  const allowed = items.length > 0 && items.every(({ effect }) => effect === 'Allow');
  const effect = allowed ? 'Allow' : 'Deny';
  exchange.decision = effect;
  const denied = items.length === 0 ? 'Missing permission evaluation items' : 'One of the requests has been denied';
  return json({ message: allowed ? 'Access Granted' : denied, effect, items });
}

/** `POST /evaluate`. */
export function evaluate(exchange: Exchange, platform: Platform): NeutralResponse {
  const fields = bodyMessage(exchange.json);
  const who = readWho(fields);
  return answerOne(exchange, platform, who, readItem(fields, ''));
}

/** `POST /evaluate-many`. */
export function evaluateMany(exchange: Exchange, platform: Platform): NeutralResponse {
  const fields = bodyMessage(exchange.json);
  const who = readWho(fields);
  return answerMany(exchange, platform, who, readItems(fields, platform));
}

/** Goes on with the token's owner; an invalid token is FailedPrecondition. Answers at once where the token is known. */
function withToken(
  fields: Fields,
  platform: Platform,
  next: (who: Who) => NeutralResponse,
): NeutralResponse | Promise<NeutralResponse> {
  const proceed = (verdict: Verdict): NeutralResponse => {
    if (!verdict.valid) throw new ServiceFailure(9, 'JWT Token is invalid');
    return next(whoIs(verdict.identity));
  };
  const verdict = verify(platform, text(fields.token, 'token'));
  return verdict instanceof Promise ? verdict.then(proceed) : proceed(verdict);
}

/** A token's groups are its owner's roles. */
export function whoIs({ user, groups }: Identity): Who {
  return { user, roles: groups };
}

/** `POST /evaluate-token`. */
export function evaluateToken(exchange: Exchange, platform: Platform): NeutralResponse | Promise<NeutralResponse> {
  const fields = bodyMessage(exchange.json);
  const item = readItem(fields, '');
  return withToken(fields, platform, (who) => answerOne(exchange, platform, who, item));
}

/** `POST /evaluate-token-many`. */
export function evaluateTokenMany(exchange: Exchange, platform: Platform): NeutralResponse | Promise<NeutralResponse> {
  const fields = bodyMessage(exchange.json);
  const items = readItems(fields, platform);
  return withToken(fields, platform, (who) => answerMany(exchange, platform, who, items));
}
