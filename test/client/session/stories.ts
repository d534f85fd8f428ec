import type * as sessions from '../../../src/client/session/index.ts';
import type * as main from '../../../src/index.ts';
import type * as mocks from '../../../src/mock/index.ts';

/** The functions of the package that stories call, of src or of a build. */
type Package = Pick<typeof main, 'createClient'> &
  Pick<typeof mocks, 'createMock'> &
  Pick<typeof sessions, 'createSession' | 'createPermissionStore'>;

const alice = { username: 'alice', password: 'canary-password' };
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Opens a story: a mock, its gateway, a session, and a view that shows the user and the permission of one button. */
async function open(
  { createClient, createMock, createSession, createPermissionStore }: Package,
  store: sessions.StoreName,
  isAllowed: boolean,
) {
  const mock = await createMock({ users: [{ name: alice.username, password: alice.password }] });
  mock.service('orders', { '/permissions': { post: () => ({ body: { items: [isAllowed] } }) } });
  const gateway = createClient({ ...mock.gateway.connection, database: 'shop' });
  const view = document.body.appendChild(document.createElement('p'));
  const ends: string[] = [];
  const tab = () => {
    const session = createSession(gateway, { store });
    session.on('end', ({ reason }) => ends.push(reason));
    return session;
  };
  const session = tab();
  const orders = gateway.with({ credentials: session }).service('orders');
  const permissions = createPermissionStore({ ask: orders.route('permissions'), session });
  const show = () => {
    view.textContent = `${session.user} ${session.user && permissions.can('orders:write', 'orders')}`;
  };
  session.on('change', show);
  permissions.subscribe(show);
  return { mock, session, tab, orders, ends, view };
}

/** Waits until each signed-in user has an answer: a busy machine takes its time. */
async function answersOf(stories: readonly Story[]): Promise<void> {
  const isAsked = ({ session, view }: Story) => session.user !== undefined && view.textContent?.endsWith('undefined');
  for (let waits = 0; waits < 500 && stories.some(isAsked); waits++) await pause(20);
}

/**
 * Ten stories of one page, whose gateways have the same URL. The first is signed out by another session over its mock,
 * the second by a refused call, and the mock of the third is reset. Returns the view and the ends of each.
 */
export async function tellStories(functions: Package, store: sessions.StoreName): Promise<readonly string[]> {
  const stories = await Promise.all(Array.from({ length: 10 }, (_, index) => open(functions, store, index % 2 === 1)));
  for (const { session } of stories) await session.signIn(alice);
  // A reset would lose an answer that is still on its way.
  await answersOf(stories);
  // The cast: there are ten.
  const [first, second, third] = stories as [Story, Story, Story];
  const other = first.tab();
  if (!(await other.restore())) await other.signIn(alice);
  await other.signOut();
  second.mock.tokens.revoke(second.session.currentToken()?.replace('Bearer ', '') ?? '');
  await second.orders.get('/').catch(() => undefined);
  third.mock.reset();
  await pause(100);
  const restored = await Promise.all(stories.map(({ session }) => session.restore()));
  await answersOf(stories);
  const told = stories.map(({ view, ends }, index) => `${restored[index]} ${view.textContent} ${ends}`.trim());
  await other.close();
  for (const { session, mock, view } of stories) {
    view.remove();
    await session.close();
    mock.reset();
  }
  return told;
}

type Story = Awaited<ReturnType<typeof open>>;

/** The stories of {@link tellStories} if none hears another. */
export const isolated = [
  // Two sessions of its mock have ended.
  'false undefined undefined signed-out,signed-out',
  'false undefined undefined refused',
  ...Array.from({ length: 8 }, (_, index) => `true alice ${index % 2 === 1}`),
];
