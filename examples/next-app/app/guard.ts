import { credentials } from 'arango-services';
import { createGuard } from 'arango-services/guard';
import { platform } from './platform.ts';

/** Guards handlers and actions; it takes the page's cookie, and no request of another site's page that may write. */
export const guard = createGuard<'orders:read' | 'orders:write' | 'orders:export'>(platform, { cookies: true });

/** The deployment's route of orders, called as the owner of a token. */
export const ordersOf = (token: string) => platform.with({ credentials: credentials.bearer(token) }).route('orders');
