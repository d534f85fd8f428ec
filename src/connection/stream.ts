/** A body that tells when it ended and whose failures are translated; what is not read stays on the wire. */
export function watchStream(
  source: ReadableStream<Uint8Array<ArrayBuffer>>,
  translate: (error: unknown) => unknown,
  guard: <T>(promise: Promise<T>) => Promise<T>,
  ended: () => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = source.getReader();
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        try {
          const next = await guard(reader.read());
          if (!next.done) {
            controller.enqueue(next.value);
            return;
          }
          ended();
          controller.close();
        } catch (error) {
          const failure = translate(error);
          ended();
          void reader.cancel().catch(() => undefined);
          controller.error(failure);
        }
      },
      cancel() {
        ended();
        return reader.cancel();
      },
    },
    { highWaterMark: 0 },
  );
}
