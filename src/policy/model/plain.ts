/** The unchecked fields of requests, bindings and scopes, as JavaScript callers may pass them. */
export interface Fields {
  readonly user?: unknown;
  readonly group?: unknown;
  readonly roles?: unknown;
  readonly superuser?: unknown;
  readonly action?: unknown;
  readonly resource?: unknown;
  readonly role?: unknown;
  readonly scope?: unknown;
  readonly statements?: unknown;
  readonly effect?: unknown;
  readonly actions?: unknown;
  readonly resources?: unknown;
  readonly description?: unknown;
}

const object: Fields = {};

/** True unless a polluted `Object.prototype` has one of the field names of requests, bindings or scopes. */
const inheritsNothing = (): boolean =>
  object.user === undefined &&
  object.group === undefined &&
  object.roles === undefined &&
  object.superuser === undefined &&
  object.action === undefined &&
  object.resource === undefined &&
  object.role === undefined &&
  object.scope === undefined &&
  object.statements === undefined &&
  object.effect === undefined &&
  object.actions === undefined &&
  object.resources === undefined &&
  object.description === undefined;

/** True for a plain object. */
export const isPlain = (value: unknown): value is Fields =>
  value != null &&
  // For speed only: after a field was read, V8 has the prototype at hand.
  value.constructor === Object &&
  Object.getPrototypeOf(value) === Object.prototype;

/** True for a plain object without inherited fields, which can be read directly. */
export const isPlainAlone = (value: unknown): value is Fields => isPlain(value) && inheritsNothing();
