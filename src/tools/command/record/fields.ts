/** Fields that the user names: by a name that counts everywhere, in any case, or by a JSON pointer. */
export interface Fields {
  has(name: string, path?: readonly string[]): boolean;
}

const decodePointer = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~');

/** Reads names like `email`, and pointers like `/customer/email`, in which `*` stands for any segment. */
export function readFields(list: readonly string[]): Fields {
  const names = new Set(list.map((one) => one.toLowerCase()));
  const pointers = list.filter((one) => one.startsWith('/')).map((one) => one.slice(1).split('/').map(decodePointer));
  return {
    has: (name, path = []) =>
      names.has(name.toLowerCase()) ||
      pointers.some(
        (one) => one.length === path.length && one.every((part, index) => part === '*' || part === path[index]),
      ),
  };
}
