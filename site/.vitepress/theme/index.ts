import { type Theme, withBase } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import FirstScreen from './first/FirstScreen.vue';
import { showTypes } from './hover/show-types.ts';
import './hover/style.css';
import Layout from './Layout.vue';
import { createQueue } from './run/queue.ts';
import { queueKey } from './run/queue-key.ts';
import RunBlock from './run/RunBlock.vue';
import './style.css';

export default {
  extends: DefaultTheme,
  Layout,
  enhanceApp({ app }) {
    app.component('FirstScreen', FirstScreen);
    app.component('RunBlock', RunBlock);
    app.provide(queueKey, createQueue());
    // Not while pages are rendered for the build.
    if (!import.meta.env.SSR) showTypes((page) => withBase(`/hovers/${page}.json`));
  },
} satisfies Theme;
