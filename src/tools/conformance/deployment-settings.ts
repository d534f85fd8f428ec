import { createMock, type Mock, type MockConfig } from '../../mock/index.js';
import { type PlatformVersion, versionRules } from '../../mock/platform-version.js';
import type { Fidelity } from '../../policy/index.js';
import { type AuthorizationType, authorizationTypes } from '../../policy/model/authorization-type.js';
import type { KnownState } from './checks/state-checks.js';
import { randomKey } from './minted-tokens.js';

/** Settings of a deployment that its answers depend on. */
export interface DeploymentSettings {
  /** The behaviour where services and specification differ. */
  readonly fidelity: Fidelity;
  /** The version of the platform. Before `next` it makes a difference only with `central`. */
  readonly platform: PlatformVersion;
  /** False if tokens are neither created nor checked. */
  readonly authentication: boolean;
  /** The type of authorization. */
  readonly type: AuthorizationType;
  /**
   * True if central services are enabled: with an ES256 key, createToken then requires a permission. With a shared
   * secret it makes no difference, and cannot be found out.
   */
  readonly central: boolean;
  /** False if a cookie with a token authenticates no request. */
  readonly cookies: boolean;
  /**
   * True if there are passive keys: a token that is refused then has a specific reason. In `documented` fidelity it
   * makes no difference, and cannot be found out.
   */
  readonly passive: boolean;
  /** Lifetimes of tokens, as durations like `60s`. */
  readonly ttl: { readonly min: string; readonly max: string; readonly default: string };
}

/** The settings that are tried first. */
export const likelySettings: DeploymentSettings = {
  fidelity: 'sidecar',
  platform: 'recorded',
  authentication: true,
  type: 'central',
  central: true,
  cookies: false,
  passive: false,
  ttl: { min: '60s', max: '3600s', default: '3600s' },
};

/** The values that are tried of each setting, in this order. `ttl` has those that the deployment's answers suggest. */
export const alternatives = (ttl: DeploymentSettings['ttl'] | undefined): readonly Partial<DeploymentSettings>[] => [
  ...[true, false].map((authentication) => ({ authentication })),
  ...authorizationTypes.map((type) => ({ type })),
  { fidelity: 'sidecar' },
  { fidelity: 'documented' },
  // The recorded platform comes first: without an ES256 key it cannot be told from 1.4.4.
  ...(['recorded', '1.4.4', 'next'] as const).map((platform) => ({ platform })),
  ...[true, false].map((cookies) => ({ cookies })),
  ...[true, false].map((central) => ({ central })),
  ...[true, false].map((passive) => ({ passive })),
  ...[likelySettings.ttl, ttl ?? likelySettings.ttl].map((range) => ({ ttl: range })),
];

/** A mock with these settings, a key, and a state. Throws InvalidArgumentError if its fidelity refuses the state. */
export async function mockWith(settings: DeploymentSettings, key: string, state: KnownState): Promise<Mock> {
  const { fidelity, platform, authentication, type, central, cookies, passive, ttl } = settings;
  const others = passive ? [await randomKey(key.includes('PRIVATE KEY') ? 'ES256' : 'HS256')] : [];
  const config: MockConfig = {
    fidelity,
    platform,
    authentication: {
      enabled: authentication,
      keys: { active: key, passive: others.map(({ text }) => text) },
      token: { ttl },
    },
    authorization: { type },
    central,
    gateway: { cookiesSupport: cookies },
    policies: Object.fromEntries(state.policies),
    roles: Object.fromEntries(state.roles),
    bindings: state.bindings,
    groupBindings: versionRules[platform].bindsGroups ? state.groupBindings : undefined,
    limits: { log: 0 },
  };
  return createMock(config);
}
