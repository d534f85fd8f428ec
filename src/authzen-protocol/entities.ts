import { oneOf, optional, type Reader, type Readers, type ReadFields } from '../lib/readers.js';
import { describeKind, isObject } from '../lib/values.js';
import { ownField } from '../policy/model/validate.js';

/** A subject or a resource of AuthZEN. */
export interface Entity {
  readonly type: string;
  readonly id: string;
  readonly properties?: Readonly<Record<string, unknown>> | undefined;
}

/** An action of AuthZEN. */
export interface EntityAction {
  readonly name: string;
  readonly properties?: Readonly<Record<string, unknown>> | undefined;
}

/** A question of AuthZEN: may the subject do the action on the resource? */
export interface AccessEvaluation {
  readonly subject: Entity;
  readonly action: EntityAction;
  readonly resource: Entity;
  readonly context?: Readonly<Record<string, unknown>> | undefined;
}

/** Text of any length. Errors never quote the value, not even a number. */
export const text: Reader<string> = (value, reading) =>
  typeof value === 'string' ? value : reading.report('expected a string', { got: describeKind(value) });

/** An object with any fields. */
export const anyObject: Reader<Readonly<Record<string, unknown>>> = (value, reading) =>
  isObject(value) ? value : reading.report('expected an object', { got: describeKind(value) });

/** A list of anything, at most this long. */
export const anyList =
  (longest: number): Reader<readonly unknown[]> =>
  (value, reading) => {
    if (!Array.isArray(value)) return reading.report('expected a list', { got: describeKind(value) });
    return value.length > longest ? reading.report(`holds more than ${longest} items`) : value;
  };

/** An object with these own fields; others are ignored, as the standard says. */
export const fieldsOf =
  <R extends Readers>(readers: R): Reader<ReadFields<R>> =>
  (value, reading) => {
    if (!isObject(value)) return reading.report('expected an object', { got: describeKind(value) });
    const read = Object.entries(readers).map(([name, reader]) => [
      name,
      reading.at(name, ownField(value, name), reader),
    ]);
    // The cast: each field was made by its reader.
    return Object.fromEntries(read) as ReadFields<R>;
  };

const properties = optional(anyObject);
export const entity: Reader<Entity> = fieldsOf({ type: text, id: text, properties });
/** An entity that is searched for: its `id` and `properties` are ignored. */
export const searched: Reader<Pick<Entity, 'type'>> = fieldsOf({ type: text });
export const action: Reader<EntityAction> = fieldsOf({ name: text, properties });
export const context = optional(anyObject);

/** The body of an evaluation. */
export const evaluation: Reader<AccessEvaluation> = fieldsOf({ subject: entity, action, resource: entity, context });

/** The semantics of a batch: which decision ends it. */
export const semantic = oneOf('execute_all', 'deny_on_first_deny', 'permit_on_first_permit');
