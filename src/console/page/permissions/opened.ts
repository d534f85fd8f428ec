import type { Edit } from '../../api.js';

/** The content of the dialog that is open. */
export type Opened =
  | { readonly kind: 'cell'; readonly user: string; readonly action: string; readonly resource: string }
  | { readonly kind: 'grants'; readonly user: string }
  /** An edit to begin with; `isNew` lets its name be typed. */
  | { readonly kind: 'edit'; readonly edit: Edit; readonly isNew: boolean };
