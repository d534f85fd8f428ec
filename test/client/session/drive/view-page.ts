// A view with twelve permission buttons over a platform on another port. It counts renders and losses of the focus.
import { h, render } from 'preact';
import { useSyncExternalStore } from 'preact/compat';
import { createClient, credentials } from '../../../../dist/index.js';
import { createPermissionStore } from '../../../../dist/session/index.js';

const parameters = new URLSearchParams(location.search);
const client = createClient({
  url: parameters.get('mock') ?? '',
  credentials: credentials.bearer(parameters.get('token') ?? ''),
});
let isDown = false;
const permissions = createPermissionStore({
  ttl: parameters.get('ttl') ?? '',
  staleFor: '10s',
  ask: {
    async post(body) {
      counts.requests += 1;
      if (isDown) throw new TypeError('no answer');
      return client.route('permissions').post(body);
    },
  },
});
const counts = { renders: 0, requests: 0, blurs: 0 };

function Can({ index }: { readonly index: number }) {
  const resource = `order:${index}`;
  const allowed = useSyncExternalStore(permissions.subscribe, () => permissions.can('orders:write', resource));
  counts.renders += 1;
  return allowed ? h('button', { id: `b${index}`, onBlur: () => (counts.blurs += 1) }, resource) : null;
}

/** What the test reads and does. */
Object.assign(globalThis, {
  view: {
    counts: () => ({ ...counts, buttons: document.getElementsByTagName('button').length }),
    focused: () => document.activeElement?.id,
    show(visibilityState: string) {
      Object.defineProperty(document, 'visibilityState', { value: visibilityState, configurable: true });
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    },
    setDown(value: boolean) {
      isDown = value;
    },
    invalidate: permissions.invalidate,
  },
});

render(
  Array.from({ length: 12 }, (_, index) => h(Can, { index, key: index })),
  document.body,
);
