const object: Readonly<Record<string, unknown>> = {};

/** True unless a polluted `Object.prototype` has one of the field names of requests, bindings or scopes. */
export const inheritsNothing = (): boolean =>
  object.user === undefined &&
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
