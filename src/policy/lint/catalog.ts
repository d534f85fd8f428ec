/** An action that a service asks about. */
export interface CatalogAction<A extends string = string> {
  /** Its name: `orders:read`. */
  readonly action: A;
  /** In a sentence. */
  readonly description: string;
  /** Patterns of the resources that it is asked on; `''` for the empty resource. */
  readonly resources: readonly string[];
}

/** An action that each client of a service needs, whatever else it does. */
export interface CatalogNeed {
  readonly action: string;
  /** A pattern of the resources that it is asked on. */
  readonly resource: string;
  /** The reason, as the end of a sentence. */
  readonly because: string;
}

/** The actions of a service, for `lint` and for `statement`. */
export interface ActionCatalog<A extends string = string> {
  /** For people: the name of the service. */
  readonly name: string;
  /** For people: the version that the actions were taken from. */
  readonly source: string;
  readonly actions: readonly CatalogAction<A>[];
  readonly needs?: readonly CatalogNeed[] | undefined;
}
