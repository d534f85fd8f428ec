import { type Mode, run } from './run.ts';

/** The program for a worker that answers requests: `/<mode>?control=<control URL>`. */
export async function answer(request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  // The cast: one of the modes; scripts/check-runtimes.ts asks for it.
  return Response.json(await run(pathname.slice(1) as Mode, searchParams.get('control') ?? ''));
}
