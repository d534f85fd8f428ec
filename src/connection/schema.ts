import { type CallInfo, SchemaError, type SchemaIssue } from '../errors.js';
import { accepting } from '../lib/readers.js';
import { hasMethod } from '../lib/values.js';

/** The part of the Standard Schema interface (standardschema.dev) that is used: zod, valibot, arktype and others have it. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | {
      readonly issues: ReadonlyArray<{
        readonly message: string;
        readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined;
      }>;
    };

/** What a schema makes of a body. */
export type SchemaOutput<S extends StandardSchema> = NonNullable<S['~standard']['types']>['output'];

/** What follows the Standard Schema interface. */
export const readSchema = accepting<StandardSchema>('a Standard Schema (zod, valibot, arktype)', (value) =>
  hasMethod((value as Partial<StandardSchema> | null | undefined)?.['~standard'], 'validate'),
);

/** The body as the schema gives it. @throws SchemaError with each issue and its path. */
export async function validateBody<T>(schema: StandardSchema<T>, body: unknown, site: CallInfo): Promise<T> {
  let result: StandardResult<T>;
  try {
    result = await schema['~standard'].validate(body);
  } catch {
    // What a schema's own code throws may quote the body.
    throw new SchemaError(site, [{ message: 'the schema threw', path: [] }]);
  }
  if (result.issues === undefined) return result.value;
  throw new SchemaError(
    site,
    result.issues.map(
      ({ message, path = [] }): SchemaIssue => ({
        message,
        path: path.map((part) => (typeof part === 'object' ? part.key : part)),
      }),
    ),
  );
}
