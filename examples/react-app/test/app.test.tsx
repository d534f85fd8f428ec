import { cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { createClient, credentials } from 'arango-services';
import type { Mock } from 'arango-services/mock';
import { handlers } from 'arango-services/mock/msw';
import { SessionProvider } from 'arango-services/react';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { App } from '../src/app.tsx';
import { createPlatform } from '../src/demo-platform.ts';
import { permissions, session } from '../src/platform.ts';
import { dismissToasts } from '../src/toasts.tsx';

const server = setupServer();
let mock: Mock;

beforeAll(() => server.listen({ onUnhandledFrame: 'error' }));
beforeEach(async () => {
  mock = await createPlatform();
  server.use(...handlers(mock, { url: location.origin, gateway: true }));
});
afterEach(async () => {
  cleanup();
  await session.signOut();
  dismissToasts();
  server.resetHandlers();
  await mock[Symbol.asyncDispose]();
});
afterAll(() => server.close());

async function signIn(username: string, password = 'pw') {
  render(
    <SessionProvider session={session} permissions={permissions}>
      <App />
    </SessionProvider>,
  );
  await userEvent.type(screen.getByLabelText('Name'), username);
  await userEvent.type(screen.getByLabelText('Password'), password);
  await userEvent.click(screen.getByRole('button', { name: 'Sign in' }));
}
const click = (name: string) => screen.findByRole('button', { name }).then((button) => userEvent.click(button));
const buttons = () => screen.getAllByRole('button').map(({ textContent }) => textContent);

test('a clerk sees the orders and may add one', async () => {
  await signIn('alice');
  await click('New order');
  await screen.findByText('Order 3, open: 10.00');
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    'Order 1, open: 9.50',
    'Order 2, closed: 20.00',
    'Order 3, open: 10.00',
  ]);
  expect(buttons()).toEqual(['Sign out', 'Refresh', 'New order', 'Export']);
});

test('a viewer sees the orders, without the button', async () => {
  await signIn('bob');
  await screen.findByText('Order 1, open: 9.50');
  await vi.waitFor(() => expect(permissions.can('orders:write', 'orders')).toBe(false));
  expect(buttons()).toEqual(['Sign out', 'Refresh', 'Export']);
});

test('a wrong password is said', async () => {
  await signIn('alice', 'wrong');
  await screen.findByText('Wrong name or password.');
  expect(buttons()).toEqual(['Sign in', 'Dismiss']);
});

test.each([
  ['alice', 'The file has 37 bytes.'],
  ['bob', 'You may not do that.'],
])('the service decides what %s may export', async (user, text) => {
  await signIn(user);
  await click('Export');
  await screen.findByText(text);
});

test('an action that the service refuses is said, and the button goes', async () => {
  await signIn('alice');
  await screen.findByRole('button', { name: 'New order' });
  const superuser = credentials.bearer(await mock.tokens.issue({ user: null }));
  const admin = createClient({ ...mock.gateway.connection, credentials: superuser });
  await admin.authorization.bindings.remove({ user: 'alice', role: 'clerk' });
  await click('New order');
  await screen.findByText('You may not do that.');
  await vi.waitFor(() => expect(buttons()).toEqual(['Sign out', 'Refresh', 'Export', 'Dismiss']));
});

test.each([
  ['an outage', { status: 503 }, 'The service is not available. Please try again.'],
  ['a broken connection', { drop: true }, 'No connection. Please try again.'],
  ['an answer in another shape', { status: 200, body: [{ id: 1 }] }, 'The service answered something unexpected.'],
] as const)('%s is said, and the session goes on', async (_name, fault, text) => {
  await signIn('alice');
  await screen.findByText('Order 1, open: 9.50');
  // Each time: reads are retried.
  mock.fail({ path: '/orders/', times: Number.POSITIVE_INFINITY, ...fault });
  await click('Refresh');
  await screen.findByText(text, undefined, { timeout: 10_000 });
  expect(session.user).toBe('alice');
});

test('a refused token leads to the form', async () => {
  await signIn('alice');
  await screen.findByText('Order 1, open: 9.50');
  mock.clock.advance('2h');
  await click('Refresh');
  await screen.findByRole('button', { name: 'Sign in' });
  await screen.findByText('Please sign in again.');
});

test('signing out leads to the form, and forgets what was shown', async () => {
  await signIn('alice');
  await screen.findByText('Order 1, open: 9.50');
  await click('Sign out');
  await screen.findByText('You are signed out.');
  expect(screen.queryByText('Order 1, open: 9.50')).toBeNull();
});
