/** Waits for turns of the event loop; bytes in flight take one for each hop, however busy the machine is. Default: 30. */
export async function turns(count = 30): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
