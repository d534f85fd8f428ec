import { writePageAddress } from '../fragment.js';
import { useSession } from '../page-session.js';

interface ItemLinkProps {
  readonly kind: 'policy' | 'role';
  readonly name: string;
  /** With the user of a binding, the link opens the binding to the role. */
  readonly user?: string | undefined;
  readonly text?: string | undefined;
}

/** A name that opens its policy, role or binding on the view of permissions. */
export function ItemLink({ kind, name, user, text = name }: ItemLinkProps) {
  const address = useSession().address.get();
  const kept = address.view === 'permissions' ? address.filters : {};
  const filters = { ...kept, policy: '', role: '', user: user ?? '', [kind]: name };
  return <a href={writePageAddress({ view: 'permissions', filters })}>{text || '(empty name)'}</a>;
}
