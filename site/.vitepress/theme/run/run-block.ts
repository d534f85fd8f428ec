import { runs } from 'virtual:runs';
import { format, isSame } from './format.ts';
import { openPlatform } from './platform.ts';

/** A line below a block that ran. */
export interface OutputLine {
  readonly kind: 'value' | 'log' | 'request' | 'error';
  readonly text: string;
}

const formatLogged = (values: readonly unknown[]) =>
  values.map((value) => (typeof value === 'string' ? value : format(value))).join(' ');

/** Runs a block over a new platform: its values, what it logged, and the requests that it sent. */
export async function runBlock(id: string): Promise<OutputLine[]> {
  const lines: OutputLine[] = [];
  const log = (...values: unknown[]) => lines.push({ kind: 'log', text: formatLogged(values) });
  const load = runs.get(id);
  if (load === undefined) throw new Error(`no block at ${id}`);
  const platform = await openPlatform(id.slice(0, id.lastIndexOf(':')));
  try {
    const { run } = await load();
    await run({
      applyPermissions: platform.applyPermissions,
      console: { ...console, log, error: log, warn: log, info: log },
      assertSame(actual, expected, place) {
        // The blocks above it run as well, without a word.
        if (!place.startsWith(`${id}: `)) return;
        lines.push({ kind: 'value', text: `${place.slice(id.length + 2)} → ${format(actual)}` });
        if (!isSame(actual, expected)) lines.push({ kind: 'error', text: `the page says ${format(expected)}` });
      },
    });
  } catch (error) {
    lines.push({ kind: 'error', text: String(error) });
  } finally {
    await platform.close();
  }
  const sent = platform.requests.map(({ method, path, status }) => `${method} ${path} ${status}`);
  return [...lines, ...sent.map((text): OutputLine => ({ kind: 'request', text }))];
}
