import { isNetworkError, isTimeoutError } from '../../../base/error-guards.js';
import { isObject } from '../../../base/lib/values.js';
import { type DoctorFinding, failure, ok, warning } from './doctor-finding.js';
import { isOfServices, type Probed, reasonOf, shortText, textAt } from './probe.js';

/** The next steps by the code of a failed connection. */
const nextSteps: readonly (readonly [code: RegExp, next: string])[] = [
  [/^ECONNREFUSED$/, 'nothing listens there: check host and port, or start the port-forward'],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, 'the name is not known here: check it, or the network'],
  [/^HPE_/, 'the port speaks another protocol than HTTP: check it'],
  [/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/, 'the server speaks no TLS 1.2 or later: update it, or the proxy before it'],
  [
    /CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE/,
    'the server may demand a certificate of the client, which this command has not',
  ],
];

/**
 * Judges an address that does not answer.
 * @param isProxied true if the environment names a proxy, which Node does not use by itself.
 */
export function examineSilence(error: unknown, url: URL, tls: DoctorFinding | undefined, isProxied: boolean) {
  const code = (isNetworkError(error) ? error.cause?.code : undefined) ?? '';
  const byCode = nextSteps.find(([pattern]) => pattern.test(code))?.[1];
  const scheme =
    url.protocol === 'http:'
      ? 'check the URL: the server may expect https://'
      : 'check the URL; the server may expect http://, or a certificate of the client';
  const next = isTimeoutError(error) ? 'a firewall may drop the packets, or the port is not that of HTTP' : scheme;
  const step = tls?.level === 'failure' ? 'see tls' : (byCode ?? next);
  const proxy =
    isProxied && step !== 'see tls' ? '; the proxy of the environment is used with NODE_USE_ENV_PROXY=1' : '';
  return failure('address', reasonOf(error), step + proxy);
}

/** The part of a platform that answers at the address. */
export type PlatformPart = 'gateway' | 'services' | 'database' | 'unknown';

/** The body of `/_inventory`; undefined for any other answer, such as the `{}` that a server has for every path. */
export const inventoryOf = ({ status, body }: Probed): Readonly<Record<string, unknown>> | undefined =>
  status === 200 && isObject(body) && [body.arangodb, body.security, body.platform].some(isObject) ? body : undefined;

/** Finds from the answers which part of a platform they are of. */
export function platformPartOf(identity: Probed, inventory: Probed, version: Probed, validate: Probed): PlatformPart {
  if (
    isOfServices(identity, 'user') ||
    inventoryOf(inventory) !== undefined ||
    textAt(inventory.body, 'message') === 'Unauthorized'
  ) {
    return 'gateway';
  }
  if (isOfServices(validate, 'isValid')) return 'services';
  return textAt(version.body, 'server') === 'arango' || (isObject(version.body) && version.body.errorNum !== undefined)
    ? 'database'
    : 'unknown';
}

/** Judges an answer that is not of a platform. */
function examineStranger({ status, header }: Probed, url: URL): DoctorFinding {
  const location = header('location');
  if (status >= 300 && status < 400 && location) {
    const to = URL.canParse(location, url) ? new URL(location, url) : undefined;
    // A login page's query may hold secrets.
    const where = shortText(to ? to.origin + to.pathname : 'an invalid URL');
    const isMoved = to !== undefined && to.origin !== url.origin && to.pathname.endsWith('/_api/version');
    const next = isMoved
      ? `give --url ${shortText(to.origin + to.pathname.slice(0, -'/_api/version'.length))}`
      : 'check the URL and its path: a login page of a proxy may stand before the deployment';
    return failure('address', `redirects to ${where}`, next);
  }
  if (status === 429 || status >= 500) {
    const next = 'look at the logs of the deployment and of the proxies before it, and ask again later';
    return failure('address', `answers with status ${status}`, next);
  }
  return failure(
    'address',
    'answers, but neither as a gateway nor as services or a database',
    'check the URL and its path',
  );
}

/** Judges what answers at the address. */
export function examinePart(part: PlatformPart, answer: Probed, url: URL): DoctorFinding {
  const { body } = answer;
  const fidelity = textAt(body, 'details', 'arango-services-mock');
  if (fidelity !== undefined) return ok('address', `a mock of arango-services, ${shortText(fidelity)} fidelity`);
  if (part === 'gateway') return ok('address', 'the gateway of a deployment: set gateway: true in clients');
  if (part === 'services') return ok('address', 'integration services without a gateway, as beside a sidecar');
  if (part === 'unknown') return examineStranger(answer, url);
  const version = shortText(textAt(body, 'version') ?? 'of an unknown version');
  const next = 'for services and permissions give the address of the gateway';
  return warning('address', `a database, ArangoDB ${version}, without a gateway`, next);
}
