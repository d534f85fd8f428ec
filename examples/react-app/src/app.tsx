import { useUser } from 'arango-services/react';
import { useEffect } from 'react';
import { Orders } from './orders-view.tsx';
import { session } from './platform.ts';
import { SignIn } from './sign-in.tsx';
import { Toasts, toast } from './toasts.tsx';

const reasons = {
  'signed-out': 'You are signed out.',
  expired: 'Your session has expired. Please sign in again.',
  refused: 'Please sign in again.',
  lost: 'Please sign in again.',
};

export function App() {
  const user = useUser();
  useEffect(() => session.on('end', ({ reason }) => toast(reasons[reason])), []);

  return (
    <main>
      <h1>Orders</h1>
      {user === undefined ? (
        <SignIn />
      ) : (
        <>
          <p>
            Signed in as {user}{' '}
            <button type="button" onClick={() => session.signOut()}>
              Sign out
            </button>
          </p>
          {/* The key: nothing of one user is shown to the next. */}
          <Orders key={user} />
        </>
      )}
      <Toasts />
    </main>
  );
}
