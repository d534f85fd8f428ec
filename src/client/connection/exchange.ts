import { isHttpError } from '../../base/errors.js';
import { quietly } from '../../base/lib/quietly.js';
import { ReceivedResponse } from './answer.js';
import { Attempt } from './attempt.js';
import { pause, retryDelayMs } from './pause.js';
import type { PreparedCall } from './prepared-call.js';

/** Sends a call within its deadline: with its retries, and once more after a 401 if the credentials were renewed. */
export async function exchange(call: PreparedCall): Promise<ReceivedResponse> {
  const { deployment, deadline, forToken } = call;
  const isOnce = call.body instanceof ReadableStream;
  let isRenewed = false;
  let retried = 0;
  for (let number = 1; ; number++) {
    const attempt = new Attempt(call, number);
    const outcome = await attempt.run();
    if (outcome instanceof ReceivedResponse) return outcome;
    const { response, url, refused } = attempt;
    if (refused !== undefined && !isRenewed) {
      isRenewed = true;
      // Reported even if the body cannot be resent, so that the next call does not get the same 401. A failed renewal
      // keeps the 401.
      const isOther = await quietly(() =>
        call.credentials?.reject?.(refused, deployment.context, isOnce ? undefined : forToken),
      );
      if (isOther && !isOnce && isHttpError(outcome)) continue;
    }
    if (!isOnce && retried < call.retries && (await pause(retryDelayMs(outcome, retried++), deadline))) continue;
    if (response && isHttpError(outcome) && call.options?.allowStatus?.includes(outcome.status)) {
      return new ReceivedResponse(response, outcome.body, attempt.asked, url);
    }
    throw outcome;
  }
}
