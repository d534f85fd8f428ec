import { onPort } from './platform.ts';
import { type Kept, type RequestContext, scenarios } from './requests.ts';
import { type Mode, run } from './run.ts';

// Like a worker's globals, they live from one request to the next.
const globals = new Map<string, Kept>();

/** Handles one request of a scenario. */
async function runStep(name: string, step: number, controlUrl: string, context: RequestContext): Promise<void> {
  const scenario = scenarios.find((one) => one.name === name);
  const run = scenario?.steps[step];
  if (run === undefined) throw new Error(`no step ${step} of ${name}`);
  // The cast: each scenario sets its globals in its first request.
  const kept = globals.get(name) ?? ({} as Kept);
  globals.set(name, kept);
  await run(await onPort(controlUrl), kept, context);
}

/**
 * The program for a worker that handles requests: `/<mode>?control=<control URL>`, and a request of a scenario:
 * `/scenario?name=…&step=…&control=…`.
 */
export async function answer(request: Request, _bindings?: unknown, context?: RequestContext): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const control = searchParams.get('control') ?? '';
  if (pathname === '/scenario') {
    if (context === undefined) throw new Error('this runtime gives no context with its requests');
    await runStep(searchParams.get('name') ?? '', Number(searchParams.get('step')), control, context);
    return Response.json('done');
  }
  // The cast: one of the modes; scripts/check-runtimes.ts asks for it.
  return Response.json(await run(pathname.slice(1) as Mode, control));
}
