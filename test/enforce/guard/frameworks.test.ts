import { describe, expect, test } from 'vitest';
import { type Guard, guardOperation, operationGuards, type RequestLike } from '../../../src/enforce/guard/index.ts';
import { guardOf } from '../../support/guards.ts';
import { casesOf, partOf } from '../../support/thorough.ts';
import { frameworks, type Route } from './frameworks/apps.ts';
import { documentOf, type Kind, keyOf, kinds, neededBy, pathsOf, routesOf } from './frameworks/documents.ts';
import { sendRaw } from './frameworks/raw-requests.ts';
import { requestLines } from './frameworks/targets.ts';

/** A guard that allows everything, and its questions by the request. */
function recordingGuard() {
  const questions = new WeakMap<object, string[]>();
  const check: Guard['check'] = async (request, { action, resource }) => {
    questions.set(request, [...(questions.get(request) ?? []), `${action} ${resource}`]);
    return { allowed: true, status: 200, token: 't' };
  };
  return { guard: guardOf(check), askedAbout: (request: object) => questions.get(request) ?? [] };
}

/** The requests of a kind: all of them without a mount, and a part below one; of both a twenty-fifth in `npm test`. */
const linesOf = (kind: Kind, mount: string) =>
  casesOf(casesOf(requestLines(pathsOf(kind), mount).filter((_, index) => mount === '' || index % 4 === 0)));

const cases = ['', '/api'].flatMap((mount) => Object.entries(kinds).map(([what, kind]) => ({ what, kind, mount })));

describe.each(Object.entries(frameworks))('%s', (_, framework) => {
  test('runs no handler whose permission guardOperation has not checked', async () => {
    const wrong: string[] = [];
    let ran = 0;
    for (const { what, kind, mount } of cases) {
      const { guard, askedAbout } = recordingGuard();
      const check = guardOperation(guard, documentOf(kind), { basePath: mount });
      const handle = async (route: Route, params: Readonly<Record<string, string>>, request: RequestLike) => {
        ran += 1;
        const asked = askedAbout(request);
        const needed = neededBy(kind, route, params);
        if (needed === undefined || asked.includes(needed)) return;
        wrong.push(
          `${what}: ${request.url} ran ${keyOf(route)}, which needs ${needed}; checked ${asked.join() || '-'}`,
        );
      };
      const front = async (request: Parameters<typeof check>[0]) => (await check(request)).allowed;
      const app = await framework({ routes: routesOf(kind), mount, front, handle });
      await sendRaw(app, linesOf(kind, mount));
    }
    expect(wrong).toEqual([]);
    expect(ran).toBeGreaterThan(partOf(partOf(1_000)));
  });

  test('runs no handler whose permission operationGuards has not checked', async () => {
    const wrong: string[] = [];
    let [allowed, denied] = [0, 0];
    for (const { what, kind, mount } of cases) {
      const { guard, askedAbout } = recordingGuard();
      const operations = operationGuards(guard, documentOf(kind));
      const checks = new Map(routesOf(kind).map((route) => [keyOf(route), operations.for(keyOf(route))]));
      expect(operations.unguarded()).toEqual([]);
      const handle = async (route: Route, params: Readonly<Record<string, string>>, request: RequestLike) => {
        const access = await checks.get(keyOf(route))?.check(request, { params });
        if (access?.allowed !== true) {
          denied += 1;
          return;
        }
        allowed += 1;
        const needed = neededBy(kind, route, params);
        if (askedAbout(request).join() !== (needed ?? '')) wrong.push(`${what}: ${request.url} ran ${keyOf(route)}`);
      };
      const app = await framework({ routes: routesOf(kind), mount, front: async () => true, handle });
      await sendRaw(
        app,
        linesOf(kind, mount).filter((_line, index) => index % 3 === 0),
      );
    }
    expect(wrong).toEqual([]);
    expect(allowed).toBeGreaterThan(partOf(partOf(500)));
    expect(denied).toBeGreaterThan(partOf(partOf(10)));
  });
});
