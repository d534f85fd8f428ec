import { questions, readPermissions } from './platform.server.ts';

type Event = { request: Request; setHeaders(headers: Record<string, string>): void };

export async function load({ request, setHeaders }: Event) {
  setHeaders({ 'cache-control': 'private, no-store' });
  return { initial: await readPermissions(request.headers, questions) };
}
