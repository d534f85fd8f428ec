/** Fields that the user names: by a name that counts everywhere, in any case, or by a JSON pointer. */
export interface Fields {
  has(name: string, pointer?: string): boolean;
  /** The names, without pointers. */
  readonly names: readonly string[];
}

const decodePointer = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~');

/** Reads names like `email`, and pointers like `/customer/email`, in which `*` stands for any segment. */
export function readFields(list: readonly string[]): Fields {
  const names = list.filter((one) => !one.startsWith('/')).map((one) => one.toLowerCase());
  const known = new Set(names);
  const pointers = list.filter((one) => one.startsWith('/')).map((one) => one.split('/').map(decodePointer));
  return {
    names,
    has(name, pointer = '') {
      if (known.has(name.toLowerCase())) return true;
      const segments = pointers.length === 0 ? [] : pointer.split('/').map(decodePointer);
      return pointers.some(
        (one) => one.length === segments.length && one.every((part, index) => part === '*' || part === segments[index]),
      );
    },
  };
}
