// TypeScript cannot read them; VitePress builds them.
declare module '*.vue' {
  import type { Component } from 'vue';

  const component: Component;
  export default component;
}
