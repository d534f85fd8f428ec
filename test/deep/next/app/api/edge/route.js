import { createClient } from 'arango-services';
import * as guard from 'arango-services/guard';
import { verifyToken } from 'arango-services/guard';
import { createMock } from 'arango-services/mock';
import * as policy from 'arango-services/policy';

export const runtime = 'edge';
export const dynamic = 'force-dynamic';

/** Uses each subpath that a service at the edge may use, the mock among them. */
export async function GET() {
  const mock = await createMock({ authentication: { keys: { active: 'a secret' } } });
  const { isValid } = await createClient(mock.connection).authentication.validate('x');
  const verdict = await verifyToken(await mock.tokens.issue(), { secret: 'a secret' });
  return Response.json({ ...verdict, isValid, names: Object.keys({ ...guard, ...policy }) });
}
