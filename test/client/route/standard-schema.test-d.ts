import type { StandardSchemaV1 } from '@standard-schema/spec';
import { expectTypeOf } from 'vitest';
import { createClient, type StandardSchema } from '../../../src/index.js';

// Any implementation of the published interface is a schema here, and provides its output type.
expectTypeOf<StandardSchemaV1<unknown, { id: string }>>().toExtend<StandardSchema>();
declare const schema: StandardSchemaV1<unknown, { id: string }>;
const response = createClient({ url: 'http://localhost' }).route().with({ schema }).get();
expectTypeOf<Awaited<typeof response>['body']>().toEqualTypeOf<{ id: string }>();
