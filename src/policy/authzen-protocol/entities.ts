import { anyText, fieldsOf, oneOf, optional, type Reader, readObject, refuseKind } from '../../base/lib/readers.js';

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

/** A list of anything, at most this long. */
export const anyList =
  (longest: number): Reader<readonly unknown[]> =>
  (value, reading) => {
    if (!Array.isArray(value)) return refuseKind(reading, 'a list', value);
    return value.length > longest ? reading.report(`holds more than ${longest} items`) : value;
  };

const properties = optional(readObject);
export const entity: Reader<Entity> = fieldsOf({ type: anyText, id: anyText, properties });
/** An entity that is searched for: its `id` and `properties` are ignored. */
export const searched: Reader<Pick<Entity, 'type'>> = fieldsOf({ type: anyText });
export const action: Reader<EntityAction> = fieldsOf({ name: anyText, properties });
export const context = optional(readObject);

/** The body of an evaluation. */
export const evaluation: Reader<AccessEvaluation> = fieldsOf({ subject: entity, action, resource: entity, context });

/** The semantics of a batch: which decision ends it. */
export const semantic = oneOf('execute_all', 'deny_on_first_deny', 'permit_on_first_permit');
