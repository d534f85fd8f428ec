import { createGuard, permissionsHandler } from 'arango-services/guard';
import { platform } from '../platform.server.ts';

const answer = permissionsHandler(createGuard(platform, { cookies: true }), {
  actions: ['orders:write', 'orders:export'],
});
// What the page asks later, by its cookie; other sites' pages get no answer.
export const POST = ({ request }: { request: Request }) => answer(request);
