const mostBytes = 4_194_304;

/** The bytes of the texts in a value. */
const bytesOf = (value: unknown, encoder = new TextEncoder()): number =>
  typeof value === 'string'
    ? encoder.encode(value).length
    : Object.values(Object(value)).reduce<number>((sum, part) => sum + bytesOf(part, encoder), 0);

/** The problem of an item whose texts alone are more than a message of the services holds. */
export const sizeFault = (item: unknown): string | undefined =>
  bytesOf(item) > mostBytes ? 'holds more than 4 MiB of text, the most that the services take in a message' : undefined;
