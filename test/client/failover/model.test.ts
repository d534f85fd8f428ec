import fc from 'fast-check';
import { expect, test } from 'vitest';
import { failover } from '../../../src/client/failover/index.ts';
import { createClient, isArangoServicesError, type Transport } from '../../../src/index.ts';
import { runsOf } from '../../support/thorough.ts';

// Random addresses, requests and clocks against the rules of docs/guides/proxies.md.

type Fault = 'ok' | '503' | 'refused' | 'broken';

/** What an address does with one request: how many chunks of the body it takes first, and what it answers. */
interface Step {
  readonly fault: Fault;
  readonly takes: number;
}

const steps = fc.record({
  fault: fc.constantFrom<Fault>('ok', '503', 'refused', 'broken'),
  takes: fc.nat(6),
});

const calls = fc.record({
  method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'),
  /** The number of chunks of a body; undefined without one. */
  chunks: fc.option(fc.nat(8), { nil: undefined }),
  waitMs: fc.nat(2_000),
});

/** One address that was asked. */
interface Asked {
  readonly index: number;
  readonly step: Step;
  readonly got: string;
}

const errorOf = { refused: 'ECONNREFUSED', broken: 'ECONNRESET' } as const;

const scenarios = fc.record({
  count: fc.integer({ min: 1, max: 4 }),
  script: fc.array(steps, { maxLength: 40 }),
  requests: fc.array(calls, { minLength: 1, maxLength: 8 }),
});

test('each request keeps the rules: no address twice, no write after it may have arrived, bodies whole', async () => {
  await fc.assert(
    fc.asyncProperty(scenarios, async ({ count, script, requests }) => {
      let asked: Asked[] = [];
      let at = 0;
      const clock = { ms: 0, now: () => clock.ms };
      const transportOf = (index: number): Transport => ({
        async send(url, { body }) {
          const step = script[at++] ?? { fault: 'ok', takes: 0 };
          let got = '';
          if (body instanceof ReadableStream) {
            const reader = body.getReader();
            const isWhole = step.fault === 'ok' || step.fault === '503';
            for (let taken = 0; isWhole || taken < step.takes; taken++) {
              const { done, value } = await reader.read();
              if (done) break;
              got += new TextDecoder().decode(value);
            }
            if (!isWhole) await reader.cancel();
          }
          asked.push({ index, step, got });
          if (step.fault === 'refused' || step.fault === 'broken') {
            throw Object.assign(new Error(step.fault), { code: errorOf[step.fault] });
          }
          const response = new Response(null, { status: step.fault === 'ok' ? 200 : 503 });
          return Object.defineProperty(response, 'url', { value: url });
        },
      });
      const addresses = Array.from({ length: count }, (_, index) => ({
        url: `http://a${index}.example`,
        transport: transportOf(index),
      }));
      const url = addresses[0]?.url ?? '';
      const client = createClient({ url, retry: 0, transport: failover(addresses, { clock, returnAfterMs: 1_000 }) });
      for (const { method, chunks, waitMs } of requests) {
        clock.ms += waitMs;
        asked = [];
        const isRead = method === 'GET' || method === 'HEAD';
        const hasBody = chunks !== undefined && !isRead;
        const text = hasBody ? 'ABCDEFGH'.slice(0, chunks) : '';
        const body = hasBody
          ? async function* () {
              for (const letter of text) yield letter;
            }
          : undefined;
        // The cast: the method is not a literal.
        const call = client.absoluteRoute('svc').request({ method, ...(body && { body: body() }) } as never);
        const outcome = await call.catch((error: unknown) => error);
        const last = asked.at(-1);
        if (last === undefined) throw new Error('no address was asked');

        expect(new Set(asked.map(({ index }) => index)).size).toBe(asked.length);
        // All but the last one moved.
        for (const { step, got } of asked.slice(0, -1)) {
          const { fault } = step;
          if (isRead) expect(fault).not.toBe('ok');
          else expect([fault, got.length < 4]).toEqual(['refused', true]);
        }
        // A read asks every address before it fails.
        if (isRead && last.step.fault !== 'ok') expect(asked).toHaveLength(count);
        const isUnsent = last.step.fault === 'refused' && last.got.length < 4;
        if (!isRead && isUnsent) expect(asked).toHaveLength(count);
        if (last.step.fault === 'ok') {
          expect(last.got).toBe(text);
          expect(outcome).toMatchObject({ status: 200, url: `http://a${last.index}.example/svc` });
          continue;
        }
        const answering = isRead ? asked.find(({ step }) => step.fault === '503') : undefined;
        const named = answering ?? last;
        expect(isArangoServicesError(outcome) && outcome.origin).toBe(`http://a${named.index}.example`);
        expect(outcome).toMatchObject({ code: named.step.fault === '503' ? 'HTTP' : 'NETWORK' });
      }
    }),
    runsOf(500),
  );
});
