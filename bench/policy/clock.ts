/** CPU time of this thread in milliseconds: steadier than the clock on the wall where other programs run. */
export function cpuTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
