import type { ComponentType } from 'preact';
import type { ConsoleCapabilities } from '../api.js';
import { ClockView } from './clock/clock-view.js';
import { CompareView } from './compare/compare-view.js';
import { LogView } from './log/log-view.js';
import { PermissionsView } from './permissions/permissions-view.js';
import { RequestsView } from './requests/requests-view.js';
import { TokensView } from './tokens/tokens-view.js';
import { WhatIfView } from './what-if/what-if-view.js';

interface View {
  readonly name: string;
  /** The title of the view, by what the backend can do. */
  title(capabilities: ConsoleCapabilities): string;
  readonly component: ComponentType;
  /** True if the backend supports the view. */
  isShown(capabilities: ConsoleCapabilities): boolean;
}

const views: readonly View[] = [
  { name: 'requests', title: () => 'Requests', component: RequestsView, isShown: ({ requests }) => requests },
  { name: 'permissions', title: () => 'Permissions', component: PermissionsView, isShown: () => true },
  { name: 'what-if', title: () => 'What if', component: WhatIfView, isShown: () => true },
  { name: 'log', title: () => 'Decision log', component: LogView, isShown: () => true },
  { name: 'tokens', title: () => 'Tokens', component: TokensView, isShown: () => true },
  {
    name: 'clock',
    title: ({ clock, faults }) => [clock && 'Clock', faults && 'faults'].filter(Boolean).join(' and ') || 'Export',
    component: ClockView,
    isShown: ({ clock, faults, snapshots, exports }) => clock || faults || snapshots || exports.length > 0,
  },
  {
    name: 'compare',
    title: () => 'Compare',
    component: CompareView,
    isShown: ({ compareText, compareGiven }) => compareText || compareGiven,
  },
];

export const viewsFor = (capabilities: ConsoleCapabilities): readonly View[] =>
  views.filter(({ isShown }) => isShown(capabilities));
