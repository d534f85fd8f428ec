/** Copies plain data; undefined if it holds anything else, such as a function. */
export function copyOf<T>(data: T): T | undefined {
  try {
    return structuredClone(data);
  } catch {
    return undefined;
  }
}
