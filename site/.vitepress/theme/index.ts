import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme-without-fonts';
import FirstScreen from './first/FirstScreen.vue';
import { createQueue, queueKey } from './run/queue.ts';
import RunBlock from './run/RunBlock.vue';
import './style.css';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('FirstScreen', FirstScreen);
    app.component('RunBlock', RunBlock);
    app.provide(queueKey, createQueue());
  },
} satisfies Theme;
