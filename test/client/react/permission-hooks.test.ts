import { createRequire } from 'node:module';
import type { ReactNode } from 'react';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  createPermissionStore,
  type InitialPermissions,
  type PermissionStore,
} from '../../../src/client/session/index.ts';
import { turns } from '../../support/turns.ts';
import { createUser } from '../session/create-user.ts';
import { bundleReact, importReact, type Loaded, versions } from './load-react.ts';

// Not Vitest's environment, which replaces more of Node's globals and gives some of them back as wrappers. The cast: jsdom
// has no types.
const { JSDOM } = createRequire(import.meta.url)('jsdom') as {
  JSDOM: new (html: string) => { readonly window: Window };
};

const read = { action: 'orders:read', resource: 'orders' };
const write = { action: 'orders:write', resource: 'orders' };
const initial = (...allowed: readonly string[]): InitialPermissions => ({
  user: 'alice',
  at: Date.now(),
  items: [read, write].map((item) => ({ ...item, allowed: allowed.includes(item.action) })),
});

/** A service that allows some actions, after `open()` if it is closed. */
function createService(...allowed: string[]) {
  const asked: string[][] = [];
  const gate = Promise.withResolvers<void>();
  const service = {
    allowed,
    asked,
    isClosed: false,
    failure: undefined as Error | undefined,
    open: gate.resolve,
    async post({ items }: { readonly items: readonly { action: string }[] }) {
      asked.push(items.map(({ action }) => action));
      if (service.isClosed) await gate.promise;
      if (service.failure) throw service.failure;
      return { body: { items: items.map(({ action }) => service.allowed.includes(action)) } };
    },
  };
  return service;
}

describe.each(versions)('React %s', (version) => {
  let bundle = '';
  let loaded: Loaded;
  beforeAll(async () => {
    bundle = await bundleReact(version);
    const { window } = new JSDOM('<!doctype html>');
    vi.stubGlobal('window', window);
    vi.stubGlobal('document', window.document);
    loaded = await importReact(bundle);
    expect(loaded.React.version).toBe(version);
  });
  afterAll(async () => {
    // React ends its work on the roots that were unmounted.
    await new Promise((done) => setTimeout(done, 50));
    vi.unstubAllGlobals();
  });

  /** Renders into a new element of the page; React's errors and warnings are collected. */
  function open(html = '') {
    const warnings: unknown[] = [];
    const error = vi.spyOn(console, 'error').mockImplementation((...words) => void warnings.push(words.join(' ')));
    const place = document.createElement('main');
    place.innerHTML = html;
    document.body.append(place);
    let unmount = (): void => undefined;
    onTestFinished(() => {
      unmount();
      error.mockRestore();
      place.remove();
    });
    return {
      warnings,
      text: () => place.textContent,
      /** True once React has taken over an element of the server's HTML. */
      isHydrated: (selector: string) =>
        Object.keys(place.querySelector(selector) ?? {}).some((key) => key.startsWith('__reactFiber')),
      render(view: ReactNode) {
        const root = loaded.createRoot(place);
        unmount = () => root.unmount();
        root.render(view);
        return root;
      },
      hydrate(view: ReactNode) {
        const options = { onRecoverableError: (reason: unknown) => void warnings.push(reason) };
        const root = loaded.hydrateRoot(place, view, options);
        unmount = () => root.unmount();
      },
    };
  }

  const h = (...args: unknown[]): ReactNode => Reflect.apply(loaded.React.createElement, undefined, args);
  /** A view that shows what a hook gives. */
  const show = (hook: () => unknown) => h(() => h('span', null, String(hook())));
  const provide = (sources: object, ...views: ReactNode[]) =>
    h(loaded.React.StrictMode, null, h(loaded.hooks.SessionProvider, sources, ...views));
  const suspended = (view: ReactNode) => h(loaded.React.Suspense, { fallback: 'waiting' }, view);

  /** Shows the message of an error below it. */
  function createBoundary() {
    return class extends loaded.React.Component<{ children?: ReactNode }, { message?: string }> {
      override state: { message?: string } = {};
      static getDerivedStateFromError = (error: Error) => ({ message: error.message });
      override render() {
        return this.state.message ?? this.props.children;
      }
    };
  }

  test('the hooks follow the answers, all asked for in one request', async () => {
    const { useCan, useCanAll, useUser, Can } = loaded.hooks;
    const service = createService('orders:read');
    service.isClosed = true;
    const session = createUser('alice');
    const permissions = createPermissionStore({ ask: service, session });
    const page = open();
    page.render(
      provide(
        { session, permissions },
        show(() => useUser()),
        show(() => useCan('orders:read', 'orders')),
        show(() => useCanAll([read, write])),
        show(() => useCanAll([read])),
        show(() => useCanAll([])),
        h(Can, { ...read, otherwise: 'no' }, 'yes'),
        h(Can, { ...write, otherwise: 'no' }, 'yes'),
        h(Can, write, 'yes'),
      ),
    );
    await expect.poll(() => page.text()).toBe('aliceundefinedundefinedundefinedtruenono');
    service.open();
    await expect.poll(() => page.text()).toBe('alicetruefalsetruetrueyesno');
    expect(service.asked).toEqual([['orders:read', 'orders:write']]);
    service.allowed = ['orders:write', 'orders:read'];
    permissions.invalidate();
    await expect.poll(() => page.text()).toBe('alicetruetruetruetrueyesyesyes');
    session.become('bob');
    await expect.poll(() => page.text()).toMatch(/^bob/);
    session.become(undefined);
    await expect.poll(() => page.text()).toBe('undefinedundefinedundefinedundefinedtruenono');
    expect(page.warnings).toEqual([]);
  });

  test('the hooks stop listening when they are unmounted, also in Strict Mode', async () => {
    const session = createUser('alice');
    const permissions = createPermissionStore({ ask: createService(), session });
    const remove = vi.fn();
    const subscribe = vi.fn((listener: () => void) => {
      const off = permissions.subscribe(listener);
      return () => {
        remove();
        off();
      };
    });
    const kept = session.listeners.size;
    const page = open();
    const view = [show(() => loaded.hooks.useUser()), show(() => loaded.hooks.useCan('orders:read', 'orders'))];
    const root = page.render(provide({ session, permissions: { ...permissions, subscribe } }, ...view));
    await expect.poll(() => page.text()).toBe('alicefalse');
    expect(session.listeners.size).toBe(kept + 1);
    root.unmount();
    await expect.poll(() => remove.mock.calls.length).toBe(subscribe.mock.calls.length);
    expect(session.listeners.size).toBe(kept);
  });

  test('a new render subscribes nothing again', async () => {
    const permissions = createPermissionStore({ ask: createService() });
    const subscribe = vi.fn(permissions.subscribe);
    const sources = { permissions: { ...permissions, subscribe }, session: createUser('alice') };
    const on = vi.spyOn(sources.session, 'on');
    const page = open();
    const user = () => `${loaded.hooks.useUser()} ${loaded.hooks.useCan('orders:read', 'orders')}`;
    const View = ({ name }: { name: string }) => h('span', null, `${name} ${user()}`);
    const root = page.render(provide(sources, h(View, { name: 'one' })));
    await expect.poll(() => page.text()).toBe('one alice false');
    const before = [subscribe.mock.calls.length, on.mock.calls.length];
    root.render(provide(sources, h(View, { name: 'two' })));
    await expect.poll(() => page.text()).toBe('two alice false');
    expect([subscribe.mock.calls.length, on.mock.calls.length]).toEqual(before);
  });

  test.each(['useUser()', 'useCan()', 'useCanAll()', 'useCanReady()', '<Can>'])(
    '%s alone names the provider',
    (name) => {
      const { useUser, useCan, useCanAll, useCanReady, Can } = loaded.hooks;
      const views: Record<string, ReactNode> = {
        'useUser()': show(() => useUser()),
        'useCan()': show(() => useCan('orders:read', 'orders')),
        'useCanAll()': show(() => useCanAll([read])),
        'useCanReady()': show(() => useCanReady('orders:read', 'orders')),
        '<Can>': h(Can, read),
      };
      expect(() => loaded.renderToString(views[name])).toThrow(`${name} needs a <SessionProvider> above it`);
    },
  );

  test.each([
    ['', 'orders', 'action'],
    ['\ud800', 'orders', 'action'],
    [7, 'orders', 'action'],
    ['orders:read', '\ud800', 'resource'],
  ])('an item that is not one is refused alike in a page and on a server: %j on %j', (...given) => {
    const [action, resource, field] = given as unknown as [string, string, string];
    const permissions = createPermissionStore({ ask: createService(), initial: initial('orders:read') });
    const { useCan, useCanAll, useCanReady, Can } = loaded.hooks;
    const item = { action, resource };
    let refused: unknown;
    try {
      permissions.can(action, resource);
    } catch (error) {
      refused = error;
    }
    expect(refused).toMatchObject({ code: 'INVALID_ARGUMENT', field });
    for (const view of [
      show(() => useCan(action, resource)),
      show(() => useCanAll([read, item])),
      show(() => useCanReady(action, resource)),
      h(Can, item),
    ]) {
      expect(() => loaded.renderToString(provide({ permissions }, view))).toThrow((refused as Error).message);
    }
  });

  test('SessionProvider refuses a value that is neither permissions nor a session; the error names the prop', () => {
    const permissions = createPermissionStore({ ask: createService() });
    for (const [field, sources] of [
      ['permissions', {}],
      ['permissions', { permissions: {} }],
      ['permissions', { permissions: createUser('alice') }],
      ['session', { permissions, session: { user: 'alice' } }],
    ] as const) {
      const render = () => loaded.renderToString(provide(sources));
      expect(render).toThrow(expect.objectContaining({ code: 'INVALID_ARGUMENT', field }));
    }
  });

  test('useCanReady suspends until the answer is there', async () => {
    const service = createService('orders:read');
    service.isClosed = true;
    const permissions = createPermissionStore({ ask: service });
    const page = open();
    const { useCanReady } = loaded.hooks;
    const views = [read, write].map(({ action, resource }) => show(() => useCanReady(action, resource)));
    page.render(provide({ permissions }, suspended(views[0]), suspended(views[1])));
    await expect.poll(() => service.asked).toEqual([['orders:read', 'orders:write']]);
    expect(page.text()).toBe('waitingwaiting');
    service.open();
    await expect.poll(() => page.text()).toBe('truefalse');
    expect([service.asked.length, page.warnings]).toEqual([1, []]);
  });

  test('the error of useCanReady reaches the boundary, and a boundary that tries again later asks again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const service = createService('orders:read');
    service.failure = new Error('the service is down');
    const permissions = createPermissionStore({ ask: service });
    const page = open();
    const Boundary = createBoundary();
    const view = (key: string) =>
      provide(
        { permissions },
        h(Boundary, { key }, suspended(show(() => loaded.hooks.useCanReady('orders:read', 'orders')))),
      );
    const root = page.render(view('one'));
    await expect.poll(() => page.text()).toBe('the service is down');
    const count = service.asked.length;
    expect(count).toBeLessThan(3);
    service.failure = undefined;
    // A failure is kept for a second.
    for (let tries = 0; tries < 100 && page.text() !== 'true'; tries++) {
      root.render(view(String(tries)));
      await vi.advanceTimersByTimeAsync(50);
      await turns(5);
    }
    expect(page.text()).toBe('true');
  });

  test('a server shows `initial` and asks nothing; hydration keeps it, without a warning or a request', async () => {
    const { useCan, useCanAll, useCanReady, useUser } = loaded.hooks;
    const view = (sources: object) =>
      provide(
        sources,
        show(() => useUser()),
        show(() => useCan('orders:read', 'orders')),
        show(() => useCanAll([read, write])),
        show(() => useCan('orders:delete', 'orders')),
        suspended(show(() => useCanReady('orders:write', 'orders'))),
      );
    const onServer = createService();
    const given = initial('orders:read');
    const html = loaded.renderToString(view({ permissions: createPermissionStore({ ask: onServer, initial: given }) }));
    expect(
      html
        .replace(/<[^>]*>/g, ' ')
        .split(/\s+/)
        .filter(Boolean),
    ).toEqual(['alice', 'true', 'false', 'undefined', 'false']);
    await new Promise((done) => setTimeout(done, 20));
    expect(onServer.asked).toEqual([]);

    const service = createService('orders:delete');
    const page = open(html);
    const seen = new Set<string>();
    const observer = new window.MutationObserver(() => void seen.add(page.text() ?? ''));
    observer.observe(document.body, { subtree: true, childList: true, characterData: true });
    onTestFinished(() => observer.disconnect());
    const permissions = createPermissionStore({ ask: service, initial: JSON.parse(JSON.stringify(given)) });
    page.hydrate(view({ permissions }));
    await expect.poll(() => page.text()).toBe('alicetruefalsetruefalse');
    expect([page.warnings, service.asked, [...seen]]).toEqual([[], [['orders:delete']], ['alicetruefalsetruefalse']]);
  });

  test('hydrated with answers that came since, or for another user, the first render is that of the server', async () => {
    const { useCan, useCanReady, useUser } = loaded.hooks;
    const view = (sources: object) =>
      provide(
        sources,
        show(() => useUser()),
        show(() => useCan('orders:read', 'orders')),
        suspended(show(() => useCanReady('orders:read', 'orders'))),
      );
    const given = initial('orders:read');
    const html = loaded.renderToString(
      view({ permissions: createPermissionStore({ ask: createService(), initial: given }) }),
    );
    const session = createUser('bob');
    const permissions = createPermissionStore({ ask: createService(), initial: given, session });
    await permissions.ready([read]);
    const page = open(html);
    page.hydrate(view({ permissions, session }));
    await expect.poll(() => page.text()).toBe('bobfalsefalse');
    expect(page.warnings).toEqual([]);
  });

  test('without `initial` a server knows no user and no answer', () => {
    const { useCan, useUser } = loaded.hooks;
    const permissions = createPermissionStore({ ask: createService() });
    const session = createUser('alice');
    const html = loaded.renderToString(
      provide(
        { permissions, session },
        show(() => useUser()),
        show(() => useCan('orders:read', 'orders')),
      ),
    );
    expect(html).toBe('<span>undefined</span><span>undefined</span>');
  });

  test('a server that streams waits for useCanReady; the page keeps its HTML until it has the answer', async () => {
    const view = ({ hooks }: Loaded, permissions: PermissionStore) =>
      h(hooks.SessionProvider, { permissions }, suspended(show(() => hooks.useCanReady('orders:read', 'orders'))));
    // A context that two renderers share at a time is a warning.
    const server = await importReact(bundle);
    const onServer = createPermissionStore({ ask: createService('orders:read') });
    const stream = await server.renderToReadableStream(view(server, onServer));
    await stream.allReady;
    const html = await new Response(stream).text();
    expect(html).toContain('<span>true</span>');

    const service = createService('orders:read');
    service.isClosed = true;
    const permissions = createPermissionStore({ ask: service });
    const page = open(html);
    page.hydrate(view(loaded, permissions));
    await expect.poll(() => service.asked).toEqual([['orders:read']]);
    expect([page.text(), page.isHydrated('span')]).toEqual(['true', false]);
    service.open();
    await expect.poll(() => page.isHydrated('span')).toBe(true);
    expect([page.text(), service.asked.length]).toEqual(['true', 1]);
    service.allowed = [];
    permissions.invalidate();
    await expect.poll(() => page.text()).toBe('false');
    expect(page.warnings).toEqual([]);
  });
});
