/** CPU time of this thread in milliseconds: steadier than wall time while other programs run. */
export function cpuTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
