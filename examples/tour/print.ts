// Prints each call of the tour with its result.

export function say(text: string): void {
  console.log(`  ${text}`);
}

export function chapter(title: string): void {
  console.log(`\n${title}`);
}

const compact = (value: unknown) => JSON.stringify(value) ?? 'nothing';

/** Runs a call that should succeed, and prints its status and body. */
export async function show(what: string, call: () => Promise<{ status: number; body: unknown }>): Promise<void> {
  const { status, body } = await call();
  say(`${what}\n      → ${status} ${compact(body)}`);
}

/** Awaits a call that should fail, and prints the error's class, code and message. */
export async function failure(what: string, call: Promise<unknown>): Promise<void> {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error)) throw new Error(`${what}: expected a failure`);
  say(`${what}\n      → ${error.name}: ${error.message}`);
}
