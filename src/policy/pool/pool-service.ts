import type { DescMethodServerStreaming, Message, MessageInitShape } from '@bufbuild/protobuf';
import { fileDesc, type GenMessage, messageDesc, serviceDesc } from '@bufbuild/protobuf/codegenv2';
import { type Duration, durationFromMs, file_google_protobuf_duration } from '@bufbuild/protobuf/wkt';
import type { RawField } from './codec.js';
import { descriptor } from './generated/descriptor.js';
import type { PoolCall, PoolMethod } from './pool-items.js';

/** The descriptions of the messages and calls of `proto/pool.proto`. */
export const poolFile = /* @__PURE__ */ fileDesc(descriptor, [file_google_protobuf_duration]);

type Empty = Message<'service.Empty'>;

/** A request for changes. */
export type PoolRequest = Message<'service.AuthorizationPoolRequest'> & {
  /** The index of the last change that is known; 0 is before the first one. */
  start: number;
  /** The time without a change after which an empty message is sent. */
  timeout?: Duration | undefined;
};

/** A message type without fields, so that the library keeps all fields of a response as bytes. */
export const emptySchema: GenMessage<Empty> = /* @__PURE__ */ messageDesc(poolFile, 0);
const requestSchema: GenMessage<PoolRequest> = /* @__PURE__ */ messageDesc(poolFile, 1);

type Request = typeof requestSchema;

/** A pool call whose responses stay bytes: as messages without known fields, which `codec.ts` reads and writes. */
export type RawMethod = DescMethodServerStreaming<Request, typeof emptySchema>;

/** The gRPC method of one of the calls. */
export function rawMethod(name: PoolMethod): RawMethod {
  const method = serviceDesc(poolFile, 0).methods.find((method) => method.name === name);
  // The cast: all calls stream their responses, and `Empty` has no fields.
  return { ...method, input: requestSchema, output: emptySchema } as unknown as RawMethod;
}

/** Creates a message with these fields. */
export const rawMessage = (fields: RawField[]): Empty => ({ $typeName: emptySchema.typeName, $unknown: fields });

/** The fields of a message. */
export const rawFields = ({ $unknown = [] }: Empty): readonly RawField[] => $unknown;

/** The request for changes after an index, or for the current state. */
export function poolRequest(changes: PoolCall['changes']): MessageInitShape<Request> {
  if (changes === undefined) return {};
  const { start, timeoutMs } = changes;
  return { start, ...(timeoutMs !== undefined && { timeout: durationFromMs(timeoutMs) }) };
}
