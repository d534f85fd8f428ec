import { isArangoServicesError } from '../../base/arango-services-error.js';
import { readIdentity } from '../../base/jwt/token-text.js';
import { noBearerToken } from '../../base/lib/sign-in-marks.js';
import { isObject } from '../../base/lib/values.js';
import { authn, type Check, partOf, tokensOf } from './checks/check.js';
import { forge, importKey, keylessTokens, randomKey, readToken, type SigningKey, signTokens } from './minted-tokens.js';
import type { ConformanceClock } from './pace.js';
import { placeholdersOf } from './question-exchange.js';
import type { CheckedClient, CheckedDeployment } from './side.js';

/** The texts that stand for placeholders: tokens and names. Each side has its own, with the same claims. */
type Sides = { readonly deployment: Map<string, string>; readonly mock: Map<string, string> };

/** Tokens and the key of a run, and why some are missing. */
export interface Preparation {
  readonly texts: Sides;
  /** The key of the mocks. */
  readonly key: SigningKey;
  /** The reason why there is no token `good`, if there is none. */
  readonly withoutGood: string | undefined;
  /** The reason why there is no token of another user, if there is none. */
  withoutUser: string | undefined;
}

/** Claims whose times are not in the future: the deployment's clock may be ahead of this machine's. */
function atHome({ iat, nbf, ...rest }: Readonly<Record<string, unknown>>): string {
  const now = Math.floor(Date.now() / 1_000);
  const passed = (name: string, time: unknown) =>
    time === undefined ? {} : { [name]: typeof time === 'number' ? Math.min(time, now) : time };
  return JSON.stringify({ ...rest, ...passed('iat', iat), ...passed('nbf', nbf) });
}

/** Adds a token of the deployment, and one with its claims for the mock. */
async function addToken(name: string, token: string, { deployment, mock }: Sides, key: SigningKey): Promise<boolean> {
  const read = readToken(token);
  if (read === undefined) return false;
  deployment.set(name, token);
  mock.set(name, await key.sign({}, atHome(read.claims)));
  return true;
}

/** @throws CredentialsError if the client's credentials fail: a wrong password would be a report of few checks. */
async function readGood(client: CheckedClient): Promise<{ readonly token?: string; readonly why?: string }> {
  try {
    const token = await client.freshToken();
    return readToken(token) === undefined ? { why: 'the token of the client is not a JWT' } : { token };
  } catch (error) {
    if (isArangoServicesError(error) && error.code === 'CREDENTIALS' && error.message.endsWith(noBearerToken)) {
      return { why: 'the client has no token' };
    }
    throw error;
  }
}

/** Makes the tokens that need neither a question nor a write. */
export async function prepare(
  client: CheckedClient,
  secret: string | undefined,
  stranger: string,
  clock: ConformanceClock,
): Promise<Preparation> {
  const { token, why } = await readGood(client);
  const algorithm = (token && readToken(token)?.algorithm) || 'HS256';
  const key = secret === undefined ? await randomKey(algorithm) : await importKey(secret);
  const names: [string, string][] = [['stranger', stranger]];
  const shared = [...names, ...(await keylessTokens(algorithm, clock.now(), stranger))];
  const own = secret === undefined ? [] : await signTokens(key, clock.now(), stranger);
  const texts: Sides = { deployment: new Map([...shared, ...own]), mock: new Map([...shared, ...own]) };
  if (token !== undefined) {
    await addToken('good', token, texts, key);
    const [good, mocked] = [texts.deployment.get('good'), texts.mock.get('good')];
    if (good !== undefined && mocked !== undefined) {
      texts.deployment.set('forged', forge(good));
      texts.mock.set('forged', forge(mocked));
    }
    const owner = readIdentity(token);
    const isSuper = owner?.user === undefined && !owner?.groups.length;
    const superuser = texts.deployment.get('superuser');
    // A superuser's own tokens may last for five minutes only, which is less than a long run.
    if (isSuper && superuser !== undefined) await addToken('good', superuser, texts, key);
    else if (isSuper) await addToken('superuser', token, texts, key);
  }
  return { texts, key, withoutGood: why, withoutUser: undefined };
}

/** Mints tokens of a user without bindings, if no key signed them. */
export async function mintUser(
  preparation: Preparation,
  deployment: CheckedDeployment,
  stranger: string,
): Promise<void> {
  const { texts, key } = preparation;
  if (texts.deployment.has('user')) return;
  const unreachable = deployment.unreachable.get('integration');
  if (unreachable !== undefined) {
    preparation.withoutUser = unreachable;
    return;
  }
  const mint = async (name: string, groups?: readonly string[]) => {
    const body = { user: stranger, ...(groups && { groups }) };
    const answer = await deployment.ask({ method: 'POST', path: `${authn}/createToken`, body });
    const { token } = isObject(answer.body) ? answer.body : {};
    const isAdded = typeof token === 'string' && (await addToken(name, token, texts, key));
    if (!isAdded) preparation.withoutUser = `createToken answered ${answer.status} without a token`;
  };
  await mint('user');
  await mint('groups', ['verify-nothing', 'verify']);
}

/** True if the token `good` is that of a superuser, whose permissions need not be known. */
export const hasSuperuserToken = ({ texts: { deployment } }: Preparation): boolean =>
  deployment.has('good') && deployment.get('good') === deployment.get('superuser');

/** True if the answers to a check depend on the permissions of the user of `good`. */
const needsPermissions = ({ steps }: Check): boolean =>
  steps.some(({ request }) => partOf(request.path) === 'management' && placeholdersOf(request).includes('good'));

/** Why a check cannot be asked; undefined if it can. */
export function obstacle(
  check: Check,
  { texts, withoutGood, withoutUser }: Preparation,
  deployment: CheckedDeployment,
  isKnown: boolean,
) {
  for (const { request } of check.steps) {
    const why = deployment.unreachable.get(partOf(request.path));
    if (why !== undefined) return why;
  }
  const name = tokensOf(check).find((token) => !texts.deployment.has(token));
  if (name === undefined) {
    return isKnown || !needsPermissions(check) ? undefined : "it depends on permissions of the token's user, not read";
  }
  if ((name === 'good' || name === 'forged') && withoutGood !== undefined) return withoutGood;
  if ((name === 'user' || name === 'groups') && withoutUser !== undefined) return withoutUser;
  return "it needs a token that only the deployment's key makes: give its secret (--jwt-secret-file)";
}
