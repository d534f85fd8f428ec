import { AddressEvent, readPageAddress, writePageAddress } from '../fragment.js';

interface ItemLinkProps {
  readonly kind: 'policy' | 'role';
  readonly name: string;
  /** With the user of a binding, the link opens the binding to the role. */
  readonly user?: string | undefined;
  readonly text?: string | undefined;
}

/** A name that opens its policy, role or binding on the view of permissions. */
export function ItemLink({ kind, name, user, text = name }: ItemLinkProps) {
  const address = readPageAddress(location.hash);
  const current = address.view === 'permissions' ? address.filters : {};
  const filters = { ...current, policy: '', role: '', user: user ?? '', [kind]: name };
  const href = writePageAddress({ view: 'permissions', filters });
  const open = (event: MouseEvent) => {
    // A URL leaves out a name that is long or looks like a secret, as some identity providers have them.
    const linked = readPageAddress(href).filters;
    if (linked[kind] === name && (linked.user ?? '') === (user ?? '')) return;
    event.preventDefault();
    dispatchEvent(new AddressEvent({ view: 'permissions', filters }));
  };
  return (
    <a href={href} onClick={open}>
      {text || '(empty name)'}
    </a>
  );
}
