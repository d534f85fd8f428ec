/** The servers that the service of the soak talks to. */
export interface SoakPlace {
  /** The mock over HTTP. */
  readonly platform: string;
  /** The mock's pool streams. */
  readonly address: string;
  /** The service that it calls. */
  readonly billing: string;
  readonly password: string;
  readonly way: 'fetch' | 'nodeTransport';
}

/** What holds memory or a process, after a garbage collection. */
export interface SoakSample {
  /** Active resources of Node, by kind. */
  readonly handles: Readonly<Record<string, number>>;
  readonly listeners: number;
  /** Bytes. */
  readonly heap: number;
  /** Events received so far. */
  readonly events: number;
  readonly warnings: readonly string[];
  /** The replica's. */
  readonly state: string;
}

/** The reason of a refused call. */
export interface Refusal {
  readonly code: string;
  readonly cause?: string | undefined;
  readonly status?: number | undefined;
}
