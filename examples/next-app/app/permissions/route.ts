import { createGuard, permissionsHandler } from 'arango-services/guard';
import { platform } from '../platform.ts';

// What the page asks later, by its cookie; other sites' pages get no answer.
export const POST = permissionsHandler(createGuard(platform, { cookies: true }), {
  actions: ['orders:write', 'orders:export'],
});
