import type { Edit } from '../../api.js';

/** The content of the open dialog. */
export type Opened =
  | { readonly kind: 'cell'; readonly user: string; readonly action: string; readonly resource: string }
  | { readonly kind: 'grants'; readonly user: string }
  /** The initial edit; with `isNew` its name can be typed. */
  | { readonly kind: 'edit'; readonly edit: Edit; readonly isNew: boolean };
