import type { EvaluatorSubject } from '../../../policy/index.js';
import type { Edit } from '../../api.js';

/** A row of the matrix: a user, or a group. */
export interface Named {
  readonly name: string;
  readonly subject: EvaluatorSubject;
}

/** The content of the open dialog. */
export type Opened =
  | ({ readonly kind: 'cell'; readonly action: string; readonly resource: string } & Named)
  | ({ readonly kind: 'grants' } & Named)
  /** The initial edit; with `isNew` its name can be typed. */
  | { readonly kind: 'edit'; readonly edit: Edit; readonly isNew: boolean };
