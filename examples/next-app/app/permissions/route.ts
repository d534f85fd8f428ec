import { permissionsHandler } from 'arango-services/guard';
import { guard } from '../guard.ts';

// What the page asks later, by its cookie; other sites' pages get no answer.
export const POST = permissionsHandler(guard, { actions: ['orders:write', 'orders:export'] });
