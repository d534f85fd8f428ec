/** The blocks of all pages that run, written by `run-blocks.ts`. */
declare module 'virtual:runs' {
  /** What a block finds beside its imports. */
  interface Scope {
    readonly console: Console;
    assertSame(actual: unknown, expected: unknown, place: string): void;
    applyPermissions(text: string): Promise<void>;
  }
  export const runs: ReadonlyMap<string, () => Promise<{ run(scope: Scope): Promise<void> }>>;
}
