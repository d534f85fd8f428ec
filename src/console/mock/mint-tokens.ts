import { authenticates } from '../../mock/config/mock-config.js';
import type { Mock } from '../../mock/mock.js';
import type { Platform } from '../../mock/platform.js';
import { reportToken } from '../answers/report-token.js';
import type { ForgeOrder, MadeToken, MintOrder, TokenReport } from '../api.js';

/** Reads a token as the mock judges it. */
export async function judge({ tokens, clock, settings }: Platform, text: string): Promise<TokenReport> {
  const token = text.trim();
  const verdict = await tokens.verify(token);
  const { user, groups } = verdict.valid ? verdict.identity : { user: undefined, groups: [] };
  const why = verdict.valid
    ? null
    : authenticates(settings)
      ? verdict.reason
      : `${verdict.reason}; this mock does not check tokens`;
  return reportToken(token, { valid: verdict.valid, why, user, groups }, clock.now());
}

/** Leaves out the fields that are undefined. */
const definedFields = <T extends object>(fields: T): T =>
  // The cast: only fields without a value are left out.
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;

/** Issues a valid token. */
export async function mint(mock: Mock, platform: Platform, order: MintOrder): Promise<MadeToken> {
  const token = await mock.tokens.issue(definedFields(order));
  return { token, report: await judge(platform, token) };
}

/** Makes an invalid token. */
export async function forge(mock: Mock, platform: Platform, order: ForgeOrder): Promise<MadeToken> {
  const token = await mock.tokens.forge(definedFields(order));
  return { token, report: await judge(platform, token) };
}
