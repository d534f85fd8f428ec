// Prints the rooms of src with their imports, and the circles among them. Exit 1 if there is one.
import { findCircles, readImports, roomGraph } from './lib/graph.ts';

const graph = roomGraph(readImports());
for (const [room, uses] of [...graph].sort(([a], [b]) => (a < b ? -1 : 1))) {
  console.log(`${room}${uses.size === 0 ? '' : ` → ${[...uses].sort().join(', ')}`}`);
}
const circles = findCircles(graph);
for (const circle of circles) console.log(`circle: ${circle.join(', ')}`);
console.log(`${graph.size} rooms, ${circles.length} circles`);
process.exitCode = circles.length === 0 ? 0 : 1;
