import { isNetworkError, isTimeoutError } from '../../../base/error-guards.js';
import { isObject } from '../../../base/lib/values.js';
import type { Client } from '../../../index.js';
import { examineCertificate } from './certificate.js';
import { type DoctorFinding, failure, ok, warning } from './doctor-finding.js';
import { examinePart, examineSilence, inventoryOf, type PlatformPart, platformPartOf } from './examine-address.js';
import { examinePermissions } from './examine-permissions.js';
import { examineToken } from './examine-token.js';
import { type LoginClients, type Obtained, obtainToken } from './obtain-token.js';
import { isOfServices, type Probed, probe, shortText, textAt } from './probe.js';
import { examineStream } from './stream-pieces.js';

/** The clients of an address, and of the integration services, which may be beside it. */
export interface ExaminedClients extends LoginClients {
  readonly integration: Client;
}

interface ExamineOptions {
  /** True if the environment names a proxy. */
  readonly isProxied: boolean;
  /** The path of a stream to listen to. */
  readonly stream: string | undefined;
}

/** The deployment's clock minus that of this machine, in milliseconds; undefined without a `Date` header. */
function aheadOf(answers: readonly Probed[]): number | undefined {
  for (const { header, at } of answers) {
    const date = Date.parse(header('date'));
    // The header has whole seconds.
    if (!Number.isNaN(date)) return date + 500 - at;
  }
  return undefined;
}

function examineClock(aheadMs: number | undefined): DoctorFinding {
  if (aheadMs === undefined) return ok('clock', 'not compared: answers have no Date header');
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  if (seconds <= 2) return ok('clock', 'the same as on this machine');
  const message = `the deployment is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} this machine`;
  const next = 'synchronise the clocks (NTP): tokens are refused, or accepted for too long';
  return seconds > 30 ? failure('clock', message, next) : warning('clock', message, next);
}

function examineInventory(answer: Probed): DoctorFinding {
  const { status } = answer;
  const body = inventoryOf(answer);
  const check = 'inventory';
  if (status === 401) return warning(check, 'not read: it needs a token', 'see token');
  if (status === 403) return warning(check, 'not read: refused (403)', 'see token');
  if (status >= 500) return warning(check, `not read: status ${status}`, 'look at the logs of the deployment');
  if (body === undefined) return ok(check, 'none is served');
  const at = (...names: readonly string[]) => shortText(textAt(body, ...names) ?? 'unknown');
  const what = `ArangoDB ${at('arangodb', 'version')} ${at('arangodb', 'edition')}, ${at('arangodb', 'mode')}`;
  const { platform } = body;
  const services = isObject(platform) && isObject(platform.services) ? Object.entries(platform.services) : [];
  const idle = services.filter(([, service]) => isObject(service) && service.ready === false).map(([name]) => name);
  if (idle.length > 0)
    return warning(check, `${what}; not ready: ${shortText(idle.join(', '))}`, 'look at the pods of these services');
  const authorization = at('security', 'authorization');
  if (authorization === 'unknown') {
    return warning(check, `${what}; whether RBAC is on is not said`, 'ask an administrator of the deployment');
  }
  if (authorization !== 'AuthorizationRBAC') {
    const next = 'roles and policies are kept, and the database does not ask them: enable RBAC in the deployment';
    return warning(check, `${what}; RBAC is off (${authorization})`, next);
  }
  return ok(
    check,
    `${what}; RBAC is on, authentication ${at('security', 'authentication').replace('Authentication', '')}`,
  );
}

/** The answers of the integration services, each with the field that its successes have. */
type ServiceAnswers = Readonly<Record<string, readonly [answer: Probed, field: string]>>;

/** The integration services that answer. */
function examineServices(part: PlatformPart, answers: ServiceAnswers): DoctorFinding {
  const check = 'services';
  const [there, missing] = [true, false].map((answering) =>
    Object.entries(answers)
      .flatMap(([name, [answer, field]]) => (isOfServices(answer, field) === answering ? name : []))
      .join(', '),
  );
  if (!there && part === 'gateway') {
    return ok(check, 'the gateway does not route /_integration: a service asks those beside it (--integration-url)');
  }
  if (!there) {
    const statuses = new Set(
      Object.values(answers).flatMap(([{ status }]) => (status > 0 && status !== 404 ? status : [])),
    );
    const others = statuses.size > 0 ? `; status ${[...statuses].join(', ')} instead` : '';
    return warning(check, `no integration service answers${others}`, 'name them: --integration-url');
  }
  if (!missing) return ok(check, `${there} answer`);
  return warning(check, `${there} answer; ${missing} do not`, 'enable them in the deployment if a service needs them');
}

/** The version of the platform that a mock should follow. */
function examineVersion(inventory: Probed, groups: Probed): DoctorFinding {
  const fits = (version: string, why: string) => ok('platform', `${why}: use platform: '${version}' in the mock`);
  if (isOfServices(groups, 'bindings') && (groups.status === 200 || groups.status === 403))
    return fits('next', 'roles can be bound to groups');
  const body = inventoryOf(inventory);
  if (body !== undefined && !('connectors' in body)) {
    return fits('1.4.4', 'the inventory has no connectors');
  }
  return fits('recorded', groups.status === 404 ? 'roles cannot be bound to groups' : 'not known, by default');
}

/**
 * Asks a deployment what it is and what the caller may do there. Nothing is written.
 * @param isSignedIn false if the clients have no credentials.
 */
export async function examineDeployment(
  clients: ExaminedClients,
  url: URL,
  isSignedIn: boolean,
  { isProxied, stream }: ExamineOptions,
): Promise<readonly DoctorFinding[]> {
  const anonymous = clients.main.with({ credentials: undefined });
  // Two stages of at most 3 and 5 s.
  const [certificate, version, used] = await Promise.all([
    examineCertificate(url),
    probe(anonymous, '/_api/version?details=true'),
    isSignedIn ? obtainToken(clients) : ({} as Obtained),
  ]);
  const tls = certificate ?? [];
  if (isNetworkError(version.error) || isTimeoutError(version.error)) {
    return [examineSilence(version.error, url, certificate, isProxied), tls].flat();
  }
  const { credentials } = used;
  const caller = clients.main.with({ credentials });
  const beside = clients.integration.with({ credentials });
  // The recorded service takes the scheme in lower case only.
  const asCaller = used.token === undefined ? {} : { authorization: `bearer ${used.token}` };
  const [permissions, pieces, identity, own, inventory, groups, database, authentication, authorization, pong] =
    await Promise.all([
      credentials ? examinePermissions(caller) : [],
      stream === undefined ? [] : examineStream(caller, stream),
      probe(anonymous, '/_identity', undefined, asCaller),
      probe(beside.with({ credentials: undefined }), '/_integration/authn/v1/identity', undefined, asCaller),
      probe(caller, '/_inventory'),
      probe(caller, '/_management/permissions/group/doctor/role'),
      probe(caller, '/_api/version?details=true'),
      probe(beside, '/_integration/authn/v1/validate', { token: '' }),
      probe(beside, '/_integration/authorization/v1/evaluate-token', {}),
      probe(beside, '/_integration/pong/v1/ping'),
    ]);
  const part = platformPartOf(identity, inventory, version, authentication);
  const aheadMs = aheadOf([version, identity, inventory]);
  // A database whose version needs a token shows by its answer whether it accepts the token.
  const isClosed = part === 'database' && version.status === 401;
  const identified =
    [identity, own].find(
      (answer) => answer.status === 401 || (answer.status === 200 && isOfServices(answer, 'user')),
    ) ?? (isClosed && (database.status === 200 || database.status === 401) ? database : undefined);
  const findings = [
    [examinePart(part, database.status === 200 ? database : version, url), tls, examineClock(aheadMs)].flat(),
    [examineInventory(inventory), examineToken(used, identified, aheadMs ?? 0)],
    permissions,
    [
      examineServices(part, {
        authentication: [authentication, 'isValid'],
        authorization: [authorization, 'effect'],
        pong: [pong, 'time'],
      }),
      examineVersion(inventory, groups),
    ],
    pieces,
  ];
  return findings.flat();
}
