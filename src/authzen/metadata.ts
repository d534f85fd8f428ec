import type { Base } from '../connection/url.js';
import type { Finding, Reader } from '../lib/readers.js';
import { optional, transform } from '../lib/readers.js';
import type { Reading } from '../lib/reading.js';
import { endpointPaths } from '../pdp/endpoints.js';
import { fieldsOf, text } from '../pdp/entities.js';

/** The endpoints that a client uses: an encoded path, and the query after it. */
export interface PdpEndpoints {
  readonly evaluation: EndpointTarget;
  readonly evaluations: EndpointTarget;
}

interface EndpointTarget {
  readonly path: string;
  readonly query: string;
}

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
 * Reads the metadata of the PDP at `base`. It must name this PDP, and endpoints of the same origin: the credentials are
 * for this origin only.
 */
export const readMetadata = (base: Base): Reader<PdpEndpoints> => {
  const { origin, prefix } = base;
  const at = (field: string, url: string, reading: Reading<Finding>): EndpointTarget =>
    reading.at(field, url, () => {
      const target = URL.canParse(url) ? new URL(url) : undefined;
      if (target?.origin !== origin) return reading.report(`must be a URL of ${origin}`);
      return { path: target.pathname, query: target.search.slice(1) };
    });
  return transform(
    fieldsOf({
      policy_decision_point: text,
      access_evaluation_endpoint: text,
      access_evaluations_endpoint: optional(text),
    }),
    (read, reading): PdpEndpoints => {
      const { policy_decision_point: named, access_evaluation_endpoint: one, access_evaluations_endpoint: many } = read;
      if (named.replace(/\/$/, '') !== origin + prefix) {
        reading.at('policy_decision_point', named, () => reading.report(`must be ${origin}${prefix}`));
      }
      return {
        evaluation: at('access_evaluation_endpoint', one, reading),
        evaluations:
          many === undefined ? usualEndpoints(base).evaluations : at('access_evaluations_endpoint', many, reading),
      };
    },
  );
};
