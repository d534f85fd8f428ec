/** The little that a person needs of a browser. Scripts are bodies of functions, with `arguments`. */
export interface Hands {
  go(url: string): Promise<void>;
  /** Opens another tab, which takes what follows. */
  openTab(): Promise<void>;
  run(script: string, ...args: readonly unknown[]): Promise<unknown>;
  /** Clicks on the element that a script returns. */
  clickOn(script: string, ...args: readonly unknown[]): Promise<void>;
  /** Types text, key by key. */
  write(text: string): Promise<void>;
  /** Presses a key by its name in `KeyboardEvent.key`. */
  press(key: string): Promise<void>;
  picture(): Promise<Buffer>;
  close(): Promise<void>;
}
