import type { CallInfo } from '../../base/arango-services-error.js';
import { SchemaError } from '../../base/errors.js';
import { accepting } from '../../base/lib/readers.js';
import { hasMethod } from '../../base/lib/values.js';
import type { ShowText } from '../../base/secrets/filter.js';
import { type StandardIssue, showIssues } from '../../base/secrets/schema-issues.js';

/** The part of the Standard Schema interface that is used: zod, valibot, arktype and others have it. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    /** Returns the schema's output for the value, or its issues. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined;
  };
}

/** A schema's verdict on a value. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: ReadonlyArray<StandardIssue> };

/** The vendor of the readers of this package. */
const ownVendor = 'arango-services';

/** The output type of a schema. */
export type SchemaOutput<S extends StandardSchema> = NonNullable<S['~standard']['types']>['output'];

/** Reads a schema by the Standard Schema interface. */
export const readSchema = accepting<StandardSchema>('a Standard Schema (zod, valibot)', (value) =>
  hasMethod((value as Partial<StandardSchema> | null | undefined)?.['~standard'], 'validate'),
);

/** Validates a body and returns the schema's output; throws SchemaError with each issue and its path. */
export async function validateBody<T>(
  schema: StandardSchema<T>,
  body: unknown,
  callInfo: CallInfo,
  show: ShowText,
): Promise<T> {
  let refusal: SchemaError | undefined;
  try {
    const result = await schema['~standard'].validate(body);
    const { issues } = result;
    if (issues === undefined && 'value' in result) return result.value;
    // Our own readers never quote values, so their messages need no search.
    const isOurs = schema['~standard'].vendor === ownVendor;
    if (issues) refusal = new SchemaError(callInfo, showIssues(issues, isOurs ? undefined : body, show), issues);
  } catch {
    // An error of the schema's own code may quote the body.
  }
  throw refusal ?? new SchemaError(callInfo, [{ message: 'the schema failed', path: [] }]);
}
