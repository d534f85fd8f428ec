// Prints the rooms of src with their imports, and the circles among them, among the wings of src and among files, and
// writes the picture and the table of docs/architecture.md. Exit 1 if there is a circle.
import { writeFileSync } from 'node:fs';
import { drawArchitecture } from './lib/architecture-picture.ts';
import { root } from './lib/exec.ts';
import { fileGraph, findCircles, readImports, roomGraph, wingGraph } from './lib/graph.ts';
import { writeMarked } from './lib/marked.ts';
import { formatWings } from './lib/wings.ts';

const imports = readImports();
const graph = roomGraph(imports);
for (const [room, uses] of [...graph].sort(([a], [b]) => (a < b ? -1 : 1))) {
  console.log(`${room}${uses.size === 0 ? '' : ` → ${[...uses].sort().join(', ')}`}`);
}
const wings = wingGraph(imports);
const circles = [graph, wings, fileGraph(imports)].flatMap(findCircles);
for (const circle of circles) console.log(`circle: ${circle.join(', ')}`);
const edges = [...graph.values()].reduce((sum, { size }) => sum + size, 0);
console.log(`${graph.size} rooms, ${edges} edges, ${circles.length} circles`);
if (circles.length === 0) {
  writeFileSync(`${root}docs/architecture.svg`, drawArchitecture(wings));
  await writeMarked('wings', 'graph', formatWings(), 'docs/architecture.md');
}
process.exitCode = circles.length === 0 ? 0 : 1;
