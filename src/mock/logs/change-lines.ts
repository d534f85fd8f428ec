import type { Exchange } from '../wire/mock-exchange.js';
import type { Log } from './zerolog.js';

const ofItems: Readonly<Record<string, string>> = { POST: 'created', PUT: 'updated', DELETE: 'deleted' };
const ofBindings: Readonly<Record<string, string>> = { POST: 'assigned', PUT: 'scope replaced', DELETE: 'removed' };

const permissions = '/_management/permissions/';

/** Logs a change of permissions, once a call has made it. */
export function logChange({ request, params, decisions, user = '' }: Exchange, log: Log): void {
  // A scripted answer is not of the service, which decides first.
  if (decisions.length === 0 || !request.path.startsWith(permissions)) return;
  const [kind] = request.path.slice(permissions.length).split('/');
  const isBinding = kind === 'user' || kind === 'group';
  const verb = (isBinding ? ofBindings : ofItems)[request.method];
  if (verb === undefined) return;
  const { name = '', role = '' } = params;
  if (isBinding) {
    const noun = kind === 'user' ? 'User' : 'Group';
    const target = [`target${noun}`, params[kind] ?? ''] as const;
    log('info', [target, ['role', role], ['user', user]], `${noun} role ${verb}`);
  } else if (kind === 'policy' || kind === 'role') {
    const item = [kind, name] as const;
    log('info', [item, ['user', user]], `${kind === 'policy' ? 'Policy' : 'Role'} ${verb}`);
  }
}
