import { isHttpError } from '../../../base/error-guards.js';
import type { Client } from '../../../index.js';
import { type DoctorFinding, failure, ok, warning } from './doctor-finding.js';
import { reasonOf } from './probe.js';

/** The longest wait for pieces, in milliseconds. */
export const listenMs = 5_000;
/** Pieces that arrive within this time may have been sent at once. */
const apartMs = 100;

const check = 'stream';
const unbuffer =
  'let no proxy before it buffer or compress streams (X-Accel-Buffering: no), see docs/guides/proxies.md';

/** The times of the pieces of a body, since the request, in milliseconds; ends early once two came apart. */
async function timesOf(body: ReadableStream<Uint8Array>, began: number, signal: AbortSignal): Promise<number[]> {
  const times: number[] = [];
  try {
    for await (const _ of body) {
      times.push(Date.now() - began);
      if (Number(times.at(-1)) - Number(times[0]) > apartMs) break;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return times;
}

/** The next step for a stream that was not opened. */
function nextFor(error: unknown): string {
  const status = isHttpError(error) ? error.status : undefined;
  if (status === 401 || status === 403) return 'see token: the stream is read with it';
  if (status !== undefined && status >= 500) return 'look at the logs of the service, and of the proxies before it';
  return 'give the path of a stream below the URL, like /_service/uds/_db/shop/feed/events';
}

/** Judges if the pieces of a stream arrive when they are sent. The stream is left after 5 s. */
export async function examineStream(client: Client, path: string): Promise<DoctorFinding> {
  const signal = AbortSignal.timeout(listenMs);
  const began = Date.now();
  const seconds = () => `${((Date.now() - began) / 1_000).toFixed(1)} s`;
  try {
    const route = client.absoluteRoute(path).with({ responseType: 'stream', signal, retry: 0 });
    const { body } = await route.get();
    const times = body ? await timesOf(body, began, signal) : [];
    if (Number(times.at(-1)) - Number(times[0]) > apartMs) {
      return ok(check, `pieces arrive one by one, the first after ${times[0]} ms`);
    }
    if (times.length === 0)
      return warning(check, `no piece arrived in ${seconds()}`, `if the service sent some: ${unbuffer}`);
    if (signal.aborted) return ok(check, `a piece arrived after ${times[0]} ms, and none behind it in ${seconds()}`);
    const next = `if it took the service longer to send them: ${unbuffer}`;
    return warning(check, `everything arrived at once, after ${times[0]} ms, and the stream ended`, next);
  } catch (error) {
    if (signal.aborted)
      return warning(check, `no answer in ${seconds()}`, `if the service answers at once: ${unbuffer}`);
    return failure(check, reasonOf(error), nextFor(error));
  }
}
