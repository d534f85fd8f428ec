import type { InjectionKey } from 'vue';
import type { Enqueue } from './queue.ts';

/** The key of a page's queue among what Vue provides. */
export const queueKey: InjectionKey<Enqueue> = Symbol('queue');
