/** An action that a service asks about. */
export interface CatalogAction<A extends string = string> {
  /** The name of the action: `orders:read`. */
  readonly action: A;
  /** A sentence that says what the action does. */
  readonly description: string;
  /** Patterns of the resources to which the action applies; `''` for the empty resource. */
  readonly resources: readonly string[];
}

/** An action that every client of a service needs. */
export interface CatalogNeed {
  readonly action: string;
  /** A pattern of the resources on which the action is needed. */
  readonly resource: string;
  /** The reason, as a clause at the end of a sentence. */
  readonly because: string;
}

/** The actions of a service, for `lint` and for `statement`. */
export interface ActionCatalog<A extends string = string> {
  /** The name of the service, for messages. */
  readonly name: string;
  /** The version from which the actions were taken, for messages. */
  readonly source: string;
  readonly actions: readonly CatalogAction<A>[];
  readonly needs?: readonly CatalogNeed[] | undefined;
}
