// Traces with OpenTelemetry: with its instrumentation of undici (which sees fetch and nodeTransport alike), and without
// it, by headers as a function and `observe`.
import { context, propagation, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { type ClientOptions, createClient } from 'arango-services';
import { createMock } from 'arango-services/mock';
import { listen } from 'arango-services/mock/node';
import { nodeTransport } from 'arango-services/node';

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
trace.setGlobalTracerProvider(provider);
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
const tracer = trace.getTracer('orders');

await using mock = await createMock({ authentication: { mode: 'None' } });
mock.route('GET', '/_db/_system/orders', () => ({ body: [] }));
await using server = await listen(mock);

/** Without instrumentation: the trace goes along in a header, and each attempt is a span. */
function traced(): Pick<ClientOptions, 'headers' | 'observe'> {
  return {
    headers: () => {
      const headers: Record<string, string> = {};
      propagation.inject(context.active(), headers);
      return headers;
    },
    observe: ({ method, path, status, code, durationMs, attempt }) => {
      const endTime = Date.now();
      const span = tracer.startSpan(method, {
        kind: SpanKind.CLIENT,
        startTime: endTime - durationMs,
        attributes: { 'http.request.method': method, 'url.path': path, 'http.request.resend_count': attempt - 1 },
      });
      if (status !== undefined) span.setAttribute('http.response.status_code', status);
      if (code !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: code });
      span.end(endTime);
    },
  };
}

/** Sends a call inside a span of the program, and prints its trace. */
async function show(title: string, options: Partial<ClientOptions>): Promise<void> {
  exporter.reset();
  mock.requests.clear();
  await using client = createClient({ url: server.url, ...options });
  await tracer.startActiveSpan('list orders', async (span: Span) => {
    await client.route('orders').get();
    span.end();
  });
  const parent = exporter.getFinishedSpans().find(({ name }) => name === 'list orders');
  const [request] = mock.requests;
  console.log(title);
  for (const { name, parentSpanContext, attributes } of exporter.getFinishedSpans()) {
    const below = parentSpanContext?.spanId === parent?.spanContext().spanId ? '  below list orders' : '';
    console.log(`  span ${name}, status ${attributes['http.response.status_code'] ?? 'none'}${below}`);
  }
  const sameTrace = request?.headers.traceparent?.split('-')[1] === parent?.spanContext().traceId;
  console.log(`  the server was sent the trace: ${sameTrace}`);
}

await show('Without instrumentation', traced());

const instrumentation = new UndiciInstrumentation();
instrumentation.setTracerProvider(provider);
await show('Instrumented, over fetch', {});
await show('Instrumented, over nodeTransport', { transport: nodeTransport() });
instrumentation.disable();
