import { handlers } from 'arango-services/mock/msw';
import { setupWorker } from 'msw/browser';
import { createPlatform } from './demo-platform.ts';

/** Starts the platform in a service worker of this page. */
export async function startDemo(): Promise<void> {
  const mock = await createPlatform();
  await setupWorker(...handlers(mock, { url: location.origin, gateway: true })).start({ quiet: true });
}
