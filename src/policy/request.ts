/** The fields of a request, an item or a subject, as JavaScript callers may pass them: none of them is checked. */
export interface Asked {
  readonly user?: unknown;
  readonly roles?: unknown;
  readonly superuser?: unknown;
  readonly action?: unknown;
  readonly resource?: unknown;
  readonly items?: unknown;
}

const names = ['user', 'roles', 'superuser', 'action', 'resource', 'items'] as const;
const plain: Asked = {};

/** What every plain object inherits: nothing, unless somebody wrote to `Object.prototype`. */
const inheritsNothing = (): boolean =>
  plain.user === undefined &&
  plain.roles === undefined &&
  plain.superuser === undefined &&
  plain.action === undefined &&
  plain.resource === undefined &&
  plain.items === undefined;

/**
 * The own fields of a request. What it inherits must not decide: with a polluted `Object.prototype` a missing field would be
 * somebody else's. A plain object costs no copy. What is no object has no fields.
 */
export function ownFields(request: unknown): Asked {
  if (typeof request !== 'object' || request === null) return Object.create(null);
  if (Object.getPrototypeOf(request) === Object.prototype && inheritsNothing()) return request;
  const own: Record<string, unknown> = Object.create(null);
  for (const name of names) if (Object.hasOwn(request, name)) own[name] = (request as Asked)[name];
  return own;
}
