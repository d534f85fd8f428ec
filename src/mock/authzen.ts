import { readWith } from '../base/lib/readers.js';
import { isLarger } from '../base/lib/text/is-larger.js';
import { type PolicyQuestion, questionMapping } from '../policy/authzen-protocol/mapping.js';
import { PageTokens } from '../policy/authzen-protocol/page-tokens.js';
import {
  answerPdp,
  endpointPaths,
  metadataPath,
  type PdpContext,
  type PdpRequest,
} from '../policy/authzen-protocol/pdp-endpoints.js';
import { actionsOf } from '../policy/authzen-protocol/pdp-state.js';
import { decideAs } from '../policy/model/authorization-type.js';
import { sumUp } from '../policy/model/shared-decision.js';
import { authenticates } from './config/mock-config.js';
import type { Platform } from './platform.js';
import type { Endpoint } from './server/endpoints.js';
import type { Router } from './server/router.js';
import { decide } from './services/decisions.js';
import { bearerToken, judgeToken } from './services/presented-tokens.js';
import type { MockClock } from './state/mock-clock.js';
import { type NeutralResponse, ServiceFailure } from './wire/http.js';
import type { Exchange } from './wire/mock-exchange.js';

// `createMock` imports this module only for `authzen: true`, so that other mocks do not load it.

// A client of this package sends groups as `roles`.
const { value: toQuestion } = readWith({ groupsProperty: 'roles' }, questionMapping);

function pdpRequest(exchange: Exchange, platform: Platform): PdpRequest {
  const { request, headers } = exchange;
  return {
    method: request.method,
    path: request.path,
    header: (name) => headers.get(name),
    async isAuthentic() {
      const token = bearerToken(headers.get('authorization') ?? '');
      if (token === undefined) return !authenticates(platform.settings);
      return (await judgeToken(platform, token)).valid;
    },
    async readBody(most) {
      const { body } = request;
      if (isLarger(body, most)) return undefined;
      return typeof body === 'string' ? new TextEncoder().encode(body) : (body ?? new Uint8Array());
    },
  };
}

/** The PDP as one request sees it: decisions are those of the authorization service, and are in the request log. */
function pdpContext(exchange: Exchange, platform: Platform, tokens: PageTokens): PdpContext {
  const { settings, fidelity } = platform;
  const decideOne = ({ user, roles = [], action, resource }: PolicyQuestion) => {
    exchange.user = user;
    exchange.groups = roles;
    return decide(exchange, platform, { subject: { user, roles }, action, resource, api: 'evaluation' });
  };
  const decider = {
    evaluate: decideOne,
    evaluateMany: ({ items, ...subject }: { user: string; items: readonly { action: string; resource: string }[] }) =>
      sumUp(items.map((item) => decideOne({ ...subject, ...item }))),
  };
  const searcher = {
    toQuestion,
    candidates: {},
    tokens,
    users: () => platform.store.evaluator().users(),
    actions: () => actionsOf(platform.store.evaluator()),
    // The log has the search, and not a decision for each candidate.
    isAllowed: (question: PolicyQuestion) =>
      decideAs(settings.authorization.type, fidelity, () => platform.store.seen().evaluate(question)).allowed,
  };
  // A request in memory may come without a host.
  const origin = `http://${exchange.headers.get('host') || 'mock.test'}`;
  return { url: { origin, prefix: '' }, judge: { decider, toQuestion }, searcher };
}

/** Adds the endpoints of AuthZEN. */
export function addAuthzen(router: Router<Endpoint>, clock: MockClock): void {
  const tokens = new PageTokens(() => clock.now());
  const serve = async (exchange: Exchange, platform: Platform): Promise<NeutralResponse> => {
    const failed = (error: unknown) => {
      if (!(error instanceof ServiceFailure)) exchange.thrown = error;
      return { status: 500, headers: {}, message: 'Internal error' };
    };
    const context = pdpContext(exchange, platform, tokens);
    const { status, headers, body } = await answerPdp(pdpRequest(exchange, platform), context, failed);
    return { status, headers: Object.entries(headers), body };
  };
  for (const path of [metadataPath, ...Object.values(endpointPaths)])
    router.add('*', path, { serve, open: true, direct: true });
}
