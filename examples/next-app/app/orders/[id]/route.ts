import { toResponse } from 'arango-services/guard';
import { guard, ordersOf } from '../../guard.ts';

export async function GET(request: Request, { params }: { params: Promise<{ id: string }> }): Promise<Response> {
  const { id } = await params;
  const access = await guard.check(request, { action: 'orders:read', resource: `order:${id}` });
  if (!access.allowed) return access.response;
  try {
    const { status, body } = await ordersOf(access.token)
      .with({ allowStatus: [404] })
      .get([id]);
    return Response.json(body, { status, headers: { 'cache-control': 'private, no-store' } });
  } catch (error) {
    console.error(error);
    return toResponse(error);
  }
}
