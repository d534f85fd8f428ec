import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, join, relative } from 'node:path';
import {
  documentOf,
  type Kind,
  keyOf,
  kinds,
  neededBy,
  pathsOf,
  routesOf,
} from '../../test/enforce/guard/frameworks/documents.ts';
import { requestLines } from '../../test/enforce/guard/frameworks/targets.ts';
import { exec } from './exec.ts';

/** The decision of a guard, and its questions. */
interface Decision {
  readonly allowed: boolean;
  readonly asked: readonly string[];
}

/** What test/deep/next-guard answers. */
interface Ran {
  readonly mount: string;
  readonly key: string;
  readonly params: Readonly<Record<string, string>>;
  readonly beside: Decision;
  readonly inFront: Decision;
}

/** Next has parameters only as whole segments, and takes a folder that begins with `@` for something else. */
const fitsNext = (kind: Kind) =>
  routesOf(kind).every(({ path }) => path.split('/').every((segment) => /^(?:\{\w+\}|[^@{}]*)$/.test(segment)));

/** The kinds of templates that Next has, each in a folder of its own. */
const services = Object.values(kinds)
  .filter(fitsNext)
  .map((kind, index) => ({ mount: `/service${index}`, kind, document: documentOf(kind) }));

/** Writes the route handlers of all services, and their documents. */
async function writeRoutes(project: string): Promise<void> {
  await writeFile(join(project, 'services.json'), JSON.stringify(services));
  for (const { mount, kind } of services) {
    const routes = routesOf(kind);
    for (const path of new Set(routes.map((route) => route.path))) {
      const folder = join(project, 'app', mount, path.replace(/\{(\w+)\}/g, '[$1]'));
      const file = join(folder, 'route.js');
      const from = relative(dirname(file), join(project, 'guarded.js'));
      const handlers = routes
        .filter((route) => route.path === path)
        .map((route) => `export const ${route.method.toUpperCase()} = handlerOf('${mount}', '${keyOf(route)}');\n`);
      await mkdir(folder, { recursive: true });
      await writeFile(file, `import { handlerOf } from '${from}';\n${handlers.join('')}`);
    }
  }
}

/** Sends a request by a socket of its own and returns the head of the answer. */
async function send(port: number, line: string): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('latin1');
  let answer = '';
  socket.on('data', (text: string) => {
    answer += text;
  });
  // Next may reset the connection of a request that it refuses.
  socket.on('error', () => undefined);
  socket.write(`${line} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nconnection: close\r\n\r\n`, 'latin1');
  await once(socket, 'close');
  return answer;
}

/** What is wrong about the decisions on a request whose handler ran. */
function judge(line: string, { mount, key, params, beside, inFront }: Ran): string[] {
  const kind = services.find((service) => service.mount === mount)?.kind;
  const route = kind && routesOf(kind).find((one) => keyOf(one) === key);
  if (kind === undefined || route === undefined) return [`${line} ran ${mount} ${key}`];
  const needed = neededBy(kind, route, params);
  const unchecked = {
    guardOperation: inFront.allowed && needed !== undefined && !inFront.asked.includes(needed),
    operationGuards: beside.allowed && beside.asked.join() !== (needed ?? ''),
  };
  return Object.entries(unchecked).flatMap(([guard, isWrong]) =>
    isWrong ? [`${line} ran ${key} with ${JSON.stringify(params)}, which ${guard} did not check`] : [],
  );
}

/** Builds and starts the services, sends raw requests and returns the handlers that ran without their permission. */
export async function checkNextGuard(project: string, least: number): Promise<string[]> {
  await writeRoutes(project);
  const next = join(project, 'node_modules/next/dist/bin/next');
  const built = await exec(process.execPath, [next, 'build'], { cwd: project, timeout: 300_000 });
  if (!built.ok) return [built.output];
  const server = spawn(process.execPath, [next, 'start', '--port', '0'], { cwd: project });
  const ended = once(server, 'exit');
  try {
    let output = '';
    for await (const text of server.stdout) {
      output += text;
      if (/http:\/\/localhost:\d+/.test(output)) break;
    }
    const port = Number(/http:\/\/localhost:(\d+)/.exec(output)?.[1]);
    const lines = services.flatMap(({ mount, kind }) => requestLines(pathsOf(kind), mount));
    const found: string[] = [];
    let ran = 0;
    for (let start = 0; start < lines.length; start += 16) {
      const some = lines.slice(start, start + 16);
      const answers = await Promise.all(some.map((line) => send(port, line)));
      for (const [index, answer] of answers.entries()) {
        const [, header] = /^x-ran: (\S+)/im.exec(answer) ?? [];
        if (header === undefined) continue;
        ran += 1;
        found.push(...judge(some[index] ?? '', JSON.parse(decodeURIComponent(header)) as Ran));
      }
    }
    console.log(`Next: ${lines.length} requests, ${ran} handlers ran, ${found.length} unchecked`);
    return ran < least ? [`only ${ran} handlers ran`, ...found] : found;
  } finally {
    server.kill();
    await ended;
  }
}
