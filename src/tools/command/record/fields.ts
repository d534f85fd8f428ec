/** Fields that the user names: by a name that counts everywhere, in any case, or by a JSON pointer. */
export type NamedFields = { has(name: string, path?: readonly string[]): boolean };

const decodePointer = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~');

/** Reads names like `email`, and pointers like `/customer/email`, in which `*` stands for any segment. */
export function readFields(list: readonly string[]): NamedFields {
  const names = new Set(list.map((name) => name.toLowerCase()));
  const pointers = list
    .filter((field) => field.startsWith('/'))
    .map((field) => field.slice(1).split('/').map(decodePointer));
  return {
    has: (name, path = []) =>
      names.has(name.toLowerCase()) ||
      pointers.some(
        (pointer) =>
          pointer.length === path.length && pointer.every((part, index) => part === '*' || part === path[index]),
      ),
  };
}
