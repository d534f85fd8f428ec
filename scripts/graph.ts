// Prints the rooms of src with their imports, and the circles among them, among the folders of src and among files.
// Exit 1 if there is one.
import { fileGraph, findCircles, readImports, roomGraph, wingGraph } from './lib/graph.ts';

const imports = readImports();
const graph = roomGraph(imports);
for (const [room, uses] of [...graph].sort(([a], [b]) => (a < b ? -1 : 1))) {
  console.log(`${room}${uses.size === 0 ? '' : ` → ${[...uses].sort().join(', ')}`}`);
}
const circles = [graph, wingGraph(imports), fileGraph(imports)].flatMap(findCircles);
for (const circle of circles) console.log(`circle: ${circle.join(', ')}`);
const edges = [...graph.values()].reduce((sum, { size }) => sum + size, 0);
console.log(`${graph.size} rooms, ${edges} edges, ${circles.length} circles`);
process.exitCode = circles.length === 0 ? 0 : 1;
