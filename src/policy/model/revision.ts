import { hashOf } from '../../base/lib/hash.js';
import type { Policy, Role } from './model.js';
import { textOfPolicy, textOfRole } from './normalize.js';

/** A written item by its name, or a binding by its user or group and its role, with its content, unless deleted. */
export interface WrittenItem {
  readonly name?: string | undefined;
  readonly user?: string | undefined;
  readonly group?: string | undefined;
  readonly role?: string | undefined;
  readonly item?: Policy | Role | null | undefined;
  readonly scope?: Policy | null | undefined;
}

const textOf = (content: Policy | Role | null | undefined): string =>
  !content ? '' : 'policies' in content ? textOfRole(content) + textOf(content.scope) : textOfPolicy(content);

/** Digests a written item. Another digest with the same index is of another deployment, or of before a restore. */
export const digestOf = ({ user, group, role, name = `${user ?? group}:${role}`, item, scope }: WrittenItem): string =>
  hashOf(`${name}\n${textOf(item ?? scope)}`).toString(36);

/** Formats a write of a kind (`policy`, `groupBinding`) as a revision: its version, kind, index and digest. */
export const formatRevision = (kind: string, written: WrittenItem & { readonly index: number }): string =>
  `v1.${kind}.${written.index}.${digestOf(written)}`;
