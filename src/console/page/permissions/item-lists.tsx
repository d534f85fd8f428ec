import type { ComponentChildren } from 'preact';
import { remember } from '../../../base/lib/remember.js';
import type { BoundRole, ConsoleFinding, ConsoleState } from '../../api.js';
import { ItemLink } from '../ui/item-link.js';
import { Names } from '../ui/name-list.js';
import { Searched } from '../ui/searched.js';
import { Empty } from '../ui/small.js';
import { Findings } from './findings-panel.js';
import type { Opened } from './opened.js';
import { emptyPolicy, everything, StatementLines } from './statements.js';

interface ItemsProps {
  readonly state: ConsoleState;
  readonly mayEdit: boolean;
  onOpen(opened: Opened): void;
}

/** The policies, roles and bindings, each with its lint findings. */
export function Items({ state, mayEdit, onOpen }: ItemsProps) {
  const { policies, roles, bindings, groupBindings, findings } = state;
  const edit = (first: Extract<Opened, { kind: 'edit' }>['edit'], isNew = false) =>
    mayEdit && (() => onOpen({ kind: 'edit', edit: first, isNew }));
  const holders = holdersOf(state);
  return (
    <div class="thirds">
      <ItemList
        title="Policies"
        noun={['policy', 'policies']}
        add={edit({ kind: 'create-policy', name: '', policy: emptyPolicy }, true)}
        empty="A policy allows or denies actions on resources. Roles bring it to users."
        items={policies.map(({ name, policy }) => ({
          name,
          about: { kind: 'policy', name },
          open: edit({ kind: 'update-policy', name, policy }),
          content: <StatementLines policy={policy} />,
        }))}
        findings={findings}
      />
      <ItemList
        title="Roles"
        noun={['role', 'roles']}
        add={edit({ kind: 'create-role', name: '', role: { policies: [] } }, true)}
        empty="A role names policies. Users and groups get it by a binding."
        items={roles.map(({ name, role }) => ({
          name,
          about: { kind: 'role', name },
          open: edit({ kind: 'update-role', name, role }),
          content: <RoleContent name={name} policies={role.policies} holders={holders.get(name) ?? none} />,
        }))}
        findings={findings}
      />
      <ItemList
        title="Bindings"
        noun={['binding', 'bindings']}
        add={edit({ kind: 'assign-role', user: '', role: roles[0]?.name ?? '', scope: everything }, true)}
        empty="A binding gives a user a role, within a scope."
        items={[
          ...bindings.map(
            ({ user, role, scope }): Item => ({
              name: `${user} → ${role}`,
              about: { kind: 'binding', user, role },
              open: edit({ kind: 'replace-scope', user, role, scope: scope ?? everything }),
              content: <Scope scope={scope} />,
            }),
          ),
          ...groupBindings.map(
            ({ group, role, scope }): Item => ({
              name: `Group ${group} → ${role}`,
              about: { kind: 'groupBinding', group, role },
              open: false,
              content: <Scope scope={scope} />,
            }),
          ),
        ]}
        findings={findings}
      />
    </div>
  );
}

interface RoleHolders {
  readonly users: string[];
  readonly groups: string[];
}

const none: RoleHolders = { users: [], groups: [] };

/** The users and groups of each role. */
function holdersOf({ bindings, groupBindings }: ConsoleState): ReadonlyMap<string, RoleHolders> {
  const holders = new Map<string, RoleHolders>();
  const of = (role: string) => remember(holders, role, (): RoleHolders => ({ users: [], groups: [] }));
  for (const { user, role } of bindings) of(role).users.push(user);
  for (const { group, role } of groupBindings) of(role).groups.push(group);
  return holders;
}

interface RoleContentProps {
  readonly name: string;
  readonly policies: readonly string[];
  readonly holders: RoleHolders;
}

function RoleContent({ name, policies, holders: { users, groups } }: RoleContentProps) {
  return (
    <>
      <p class="quiet">
        {policies.length === 0 && 'No policies'}
        {policies.map((policy, index) => (
          <>
            {index > 0 && ', '}
            <ItemLink key={policy} kind="policy" name={policy} />
          </>
        ))}
      </p>
      {users.length + groups.length === 0 && <p class="quiet">No users and groups</p>}
      <Names
        noun={['user', 'users']}
        names={users}
        show={(user) => <ItemLink kind="role" name={name} user={user} text={user} />}
      />
      <Names noun={['group', 'groups']} names={groups} />
    </>
  );
}

function Scope({ scope }: Pick<BoundRole, 'scope'>) {
  return scope === null ? <p class="quiet">No scope: it grants nothing</p> : <StatementLines policy={scope} />;
}

interface Item {
  readonly name: string;
  readonly about: ConsoleFinding['about'];
  /** Opens the item's editor; false if the item cannot be edited. */
  readonly open: (() => void) | false;
  readonly content: ComponentChildren;
}

interface ItemListProps {
  readonly title: string;
  /** The singular and the plural of the items, like `policy` and `policies`, for the buttons. */
  readonly noun: readonly [one: string, many: string];
  readonly add: (() => void) | false;
  readonly empty: string;
  readonly items: readonly Item[];
  readonly findings: readonly ConsoleFinding[];
}

function ItemList({ title, noun, add, empty, items, findings }: ItemListProps) {
  const [singular] = noun;
  return (
    <section class="stack tight" aria-label={title}>
      <div class="row">
        <h2>{title}</h2>
        <span class="badge">{items.length}</span>
        {add && (
          <button type="button" class="push" onClick={add}>
            New {singular}
          </button>
        )}
      </div>
      {items.length === 0 && (
        <Empty title="None yet">
          <p>{empty}</p>
        </Empty>
      )}
      <Searched noun={noun} items={items} textOf={({ name }) => name}>
        {({ name, about, open, content }) => (
          <li key={`${about.kind} ${name}`} class="item">
            {open ? (
              <button type="button" class="link" aria-label={`Edit ${singular} ${name}`} onClick={open}>
                {name}
              </button>
            ) : (
              <strong>{name}</strong>
            )}
            {content}
            <Findings findings={findings} about={about} />
          </li>
        )}
      </Searched>
    </section>
  );
}
