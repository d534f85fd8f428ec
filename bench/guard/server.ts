// The mock on a port, in a separate process; its first message is its address and a token of alice.
import { listen } from '../../dist/mock/adapters/node/index.js';
import { createMock } from '../../dist/mock/index.js';
import { question, secret, state } from './state.ts';

/** The first message to bench/guard.ts. */
export interface Place {
  readonly url: string;
  readonly token: string;
}

const mock = await createMock({ ...state, authentication: { keys: { active: secret } }, limits: { log: 0 } });
if (mock.explain({ user: 'alice', ...question }).decision.effect !== 'Allow') throw new Error('alice may not');
const place: Place = { url: (await listen(mock)).url, token: await mock.tokens.issue({ user: 'alice' }) };
process.send?.(place);
process.once('disconnect', () => process.exit());
