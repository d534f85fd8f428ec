import { SessionProvider } from 'arango-services/react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { permissions, session } from './platform.ts';

// The platform in the page, for `vite --mode demo`; other builds have nothing of it.
if (import.meta.env.MODE === 'demo') await (await import('./demo.ts')).startDemo();

// Before the first render, so that a reload does not flash the login form.
await session.restore();
const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <SessionProvider session={session} permissions={permissions}>
        <App />
      </SessionProvider>
    </StrictMode>,
  );
