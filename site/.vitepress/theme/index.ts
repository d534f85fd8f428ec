import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import Layout from './Layout.vue';
import { createQueue, queueKey } from './run/queue.ts';
import RunBlock from './run/RunBlock.vue';
import './style.css';

export default {
  extends: DefaultTheme,
  Layout,
  enhanceApp({ app }) {
    app.component('RunBlock', RunBlock);
    app.provide(queueKey, createQueue());
  },
} satisfies Theme;
