import { normalizePolicy, type Policy } from '../../policy/index.js';
import { scopeOfRequest } from '../../policy/model/scope-forms.js';
import type { ScopeContent } from './file-schema.js';

/** The policy that the content of a scope stands for. */
export const policyOfScope = (content: ScopeContent): Policy =>
  normalizePolicy('statements' in content ? content : scopeOfRequest(content));
