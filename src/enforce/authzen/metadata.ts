import { asGiven, type Finding, fieldsOf, type Reader, transform } from '../../base/lib/readers.js';
import type { Reading } from '../../base/lib/reading.js';
import type { Base, EncodedPath } from '../../base/lib/url.js';
import { endpointPaths } from '../../policy/authzen-protocol/pdp-endpoints.js';

/** The endpoints that a client uses. */
export type PdpEndpoints = { readonly evaluation: EncodedPath; readonly evaluations: EncodedPath };

const paths = {
  evaluation: endpointPaths.access_evaluation_endpoint,
  evaluations: endpointPaths.access_evaluations_endpoint,
};

/** The endpoints of a PDP without metadata. */
export const usualEndpoints = ({ prefix }: Base): PdpEndpoints => ({
  evaluation: { path: prefix + paths.evaluation, query: '' },
  evaluations: { path: prefix + paths.evaluations, query: '' },
});

/**
 * Reads the metadata of the PDP at `base`. It must name this PDP, and endpoints of the same origin, because the
 * credentials are for this origin only.
 */
export const readMetadata = (base: Base): Reader<PdpEndpoints> => {
  const { origin, prefix } = base;
  const at = (field: string, url: unknown, reading: Reading<Finding>): EncodedPath => {
    const target = typeof url === 'string' && URL.canParse(url) ? new URL(url) : undefined;
    // The message names the field, because errors do not show paths into a foreign body. The origin of a blob: URL is
    // that of the URL in it.
    if (target?.origin !== origin || target.protocol === 'blob:')
      return reading.report(`${field}: must be a URL of ${origin}`);
    return { path: target.pathname, query: target.search.slice(1) };
  };
  const fields = {
    policy_decision_point: asGiven,
    access_evaluation_endpoint: asGiven,
    access_evaluations_endpoint: asGiven,
  };
  return transform(fieldsOf(fields), (read, reading): PdpEndpoints => {
    const { policy_decision_point: named, access_evaluation_endpoint: one, access_evaluations_endpoint: many } = read;
    if (typeof named !== 'string' || named.replace(/\/$/, '') !== origin + prefix) {
      reading.report(`policy_decision_point: must be ${origin}${prefix}`);
    }
    const evaluation = at('access_evaluation_endpoint', one, reading);
    if (many === undefined) return { ...usualEndpoints(base), evaluation };
    return { evaluation, evaluations: at('access_evaluations_endpoint', many, reading) };
  });
};
