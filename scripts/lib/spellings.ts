import { Agent, get } from 'node:http';
import { type Guard, guardOperation } from 'arango-services/guard';
import {
  document as everyKind,
  lost,
  passed,
  type Ran,
  type Spelling,
  sampleSpellings,
} from '../../test/enforce/guard/spellings/spellings.ts';

/** A service that answers with the value that a handler got. */
export interface SpellingService {
  readonly url: string;
  /** The kinds that the service has. */
  readonly kinds: readonly string[];
  /** The base path of the kinds. Default none. */
  readonly basePath?: string;
  /** The service's own document. Default that of all kinds. */
  readonly document?: object;
}

/** Sends a path as it is; gives the value that the handler got, undefined if none ran. */
const send = (agent: Agent, url: string, path: string): Promise<string | undefined> =>
  new Promise((done, failed) => {
    const { hostname, port } = new URL(url);
    const request = get({ agent, hostname, port, path }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('error', failed).on('end', () => {
        const isRan = response.statusCode === 200;
        // The cast: the service of the test answers so.
        done(isRan ? (JSON.parse(text) as { readonly value: string }).value : undefined);
      });
    });
    // A service may end a connection behind its answer: the next request is lost.
    request.on('error', () => done(undefined));
  });

/** Returns the resource that a guard asks about, or undefined for a denied request. */
function createJudge({ document = everyKind, basePath }: SpellingService) {
  let asked: string | undefined;
  const check: Guard['check'] = async (_, { resource }) => {
    asked = resource;
    return { allowed: true, status: 200, token: 't' };
  };
  // The cast: `guardOperation` calls nothing else.
  const judge = guardOperation({ check } as Guard, document, { basePath });
  return async (url: string) => {
    asked = undefined;
    await judge({ headers: {}, method: 'GET', url });
    return asked;
  };
}

/**
 * Sends random spellings to a service without a guard, and returns the values that its handlers got by requests about
 * different resources, and the values whose one text is denied.
 */
export async function trySpellings(name: string, service: SpellingService, each: number): Promise<string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const judge = createJudge(service);
  const all: Ran[] = [];
  const queue: Spelling[] = sampleSpellings(each, service.kinds);
  const count = queue.length;
  const work = async () => {
    for (let one = queue.pop(); one !== undefined; one = queue.pop()) {
      const path = (service.basePath ?? '') + one.path;
      const value = await send(agent, service.url, path);
      if (value !== undefined) all.push({ ...one, value, resource: undefined });
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
  agent.destroy();
  const ran: Ran[] = [];
  for (const one of all) ran.push({ ...one, resource: await judge((service.basePath ?? '') + one.path) });
  const denied = ran.filter(({ resource }) => resource === undefined).length;
  console.log(`${name}: ${count} requests, ${ran.length} handlers ran, ${denied} of them denied by the guard`);
  const least = (each * service.kinds.length) / 20;
  const few = ran.length - denied < least || denied < least / 10 ? [`only ${ran.length} handlers ran`] : [];
  return [...few, ...passed(ran), ...lost(ran).map((resource) => `${resource} is denied`)];
}
