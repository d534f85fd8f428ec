import { type ReactNode, useSyncExternalStore } from 'react';
import { permissions, session } from './platform.ts';

const unknown = () => undefined; // when rendered on a server

/** True or false, or undefined while it is not known. For display only: the service decides. */
export const useCan = (action: string, resource: string) =>
  useSyncExternalStore(permissions.subscribe, () => permissions.can(action, resource), unknown);

/** Shows its children to users who may take an action. */
export function Can(props: { action: string; resource: string; children: ReactNode; otherwise?: ReactNode }) {
  return useCan(props.action, props.resource) ? props.children : props.otherwise;
}

const onChange = (listener: () => void) => session.on('change', listener);

/** The name of the user; undefined without a session. */
export const useUser = () => useSyncExternalStore(onChange, () => session.user, unknown);
