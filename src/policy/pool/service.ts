import type { DescMethodServerStreaming, MessageInitShape } from '@bufbuild/protobuf';
import { durationFromMs } from '@bufbuild/protobuf/wkt';
import type { RawField } from './codec.js';
import {
  type AuthorizationPoolRequest,
  AuthorizationPoolRequestSchema,
  AuthorizationPoolService,
  type Empty,
  EmptySchema,
} from './generated/pool_pb.js';
import type { PoolCall, PoolMethod } from './items.js';

type Request = typeof AuthorizationPoolRequestSchema;
type Raw = typeof EmptySchema;

/** A pool call whose responses stay bytes: as messages without known fields, which `codec.ts` reads and writes. */
export type RawMethod = DescMethodServerStreaming<Request, Raw>;

/** The gRPC method of one of the six calls. */
export function rawMethod(name: PoolMethod): RawMethod {
  const method = AuthorizationPoolService.methods.find((one) => one.name === name);
  // The cast: all six calls stream their responses, and `Empty` has no fields.
  return { ...method, input: AuthorizationPoolRequestSchema, output: EmptySchema } as unknown as RawMethod;
}

export type PoolRequest = AuthorizationPoolRequest;

/** Creates a message with these fields. */
export const rawMessage = (fields: RawField[]): Empty => ({ $typeName: EmptySchema.typeName, $unknown: fields });

/** The fields of a message. */
export const rawFields = ({ $unknown = [] }: Empty): readonly RawField[] => $unknown;

/** The request for changes after an index, or for the current state. */
export function poolRequest(changes: PoolCall['changes']): MessageInitShape<Request> {
  if (changes === undefined) return {};
  const { start, timeoutMs } = changes;
  return { start, ...(timeoutMs !== undefined && { timeout: durationFromMs(timeoutMs) }) };
}
