import type { Tab } from './tabs.ts';

/** A round of tabs: its name tells sessions apart, so that rounds may run side by side. */
interface Round {
  readonly name: string;
  readonly slowMs: number;
  readonly number: number;
}

type Act = (tabs: readonly Tab[], round: Round) => Promise<string[]>;

/** Faults of a round: one for each tab that does not have the user. */
async function missing(tabs: readonly Tab[], { name }: Round, user: string | null): Promise<string[]> {
  const found = await Promise.all(tabs.map((tab) => tab.run('hasUser', name, user)));
  return found.flatMap((isFound, index) => (isFound ? [] : [`tab ${index} never had ${user ?? 'no user'}`]));
}

/** Calls from all tabs at once: a fault for each that went out as the former user. */
async function callsAs(tabs: readonly Tab[], { name }: Round, former: string): Promise<string[]> {
  const calls = await Promise.all(tabs.map((tab) => tab.run('call', name)));
  return calls.flatMap(({ sent }, index) => (sent.includes(former) ? [`tab ${index} called as ${former}`] : []));
}

/**
 * Calls from the tab that changed the session at once, and from each other one when it has the message: a fault for each
 * that went out as the former user. How soon a message arrives is up to the browser.
 */
async function callsOnceTold(
  tabs: readonly Tab[],
  { name }: Round,
  { changing, version, former }: { readonly changing: Tab; readonly version: number; readonly former: string },
): Promise<string[]> {
  const call = (tab: Tab) => (tab === changing ? tab.run('call', name) : tab.run('callOnceTold', name, version));
  const calls = await Promise.all(tabs.map(call));
  return calls.flatMap((call, index) => {
    if (call === undefined) return [`tab ${index} was not told of ${version}`];
    return call.sent.includes(former) ? [`tab ${index} called as ${former}`] : [];
  });
}

const pick = (tabs: readonly Tab[], number: number): Tab => tabs[number % tabs.length] as Tab;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Alice signs in in one tab, and all others follow. */
const signIn: Act = async (tabs, round) => {
  await pick(tabs, round.number).run('signIn', round.name, 'alice');
  return missing(tabs, round, 'alice');
};

/** The kinds of rounds, each from tabs without a session. */
const kinds: Readonly<Record<string, Act>> = {
  'first sign-in': signIn,
  async 'change of user'(tabs, round) {
    const faults = await signIn(tabs, round);
    const changing = pick(tabs, round.number + 1);
    const version = await changing.run('signIn', round.name, 'bob');
    faults.push(...(await callsOnceTold(tabs, round, { changing, version, former: 'alice' })));
    faults.push(...(await missing(tabs, round, 'bob')));
    return [...faults, ...(await callsAs(tabs, round, 'alice'))];
  },
  async renewal(tabs, round) {
    const faults = await signIn(tabs, round);
    // Tokens of the same second are the same.
    await pause(1_050);
    const renewing = pick(tabs, round.number);
    const before = await renewing.run('token', round.name);
    await renewing.run('renew', round.name);
    // Its clock is ahead, so that it may renew again at once: what counts is the token that all have in the end.
    let tokens: readonly (string | null)[] = [];
    const agree = () => tokens.every((one) => one !== null && one !== before && one === tokens[0]);
    const until = performance.now() + 10_000;
    do {
      await pause(20);
      tokens = await Promise.all(tabs.map((tab) => tab.run('tokenAfter', round.name, before)));
    } while (!agree() && performance.now() < until);
    return agree() ? faults : [...faults, `${tabs.length} tabs have ${new Set(tokens).size} tokens, old ones included`];
  },
  async 'sign-out during a renewal'(tabs, round) {
    const faults = await signIn(tabs, round);
    await pick(tabs, round.number).run('renew', round.name);
    await pause((round.number * 7) % (40 + 3 * round.slowMs));
    const changing = pick(tabs, round.number + 1);
    const version = await changing.run('signOut', round.name);
    faults.push(...(await callsOnceTold(tabs, round, { changing, version, former: 'alice' })));
    faults.push(...(await missing(tabs, round, null)));
    // Whatever was under way arrives.
    await pause(150 + 6 * round.slowMs);
    faults.push(...(await missing(tabs, round, null)), ...(await callsAs(tabs, round, 'alice')));
    const stored = await Promise.all(tabs.map((tab) => tab.run('isStored', round.name)));
    if (stored.includes(true)) faults.push('a token is in the store');
    return faults;
  },
};

const attacks = [
  ...['change 9999999999999999', 'end 9999999999999999', 'change 9007199254740991', 'refused 1e999'],
  ...[
    'mark 9999999999999999',
    'mark x',
    'store x',
    'store {"token":"a.b.c","askedAt":1,"signedInAt":1,"version":1e15}',
  ],
  ...['version 9007199254740993', `version ${Date.UTC(2090, 0)}`],
];

/** Attacks of a hostile page: afterwards all follow a change of user and a sign-out. Returns the faults of each. */
export async function runAttacks(tabs: readonly Tab[]): Promise<string[]> {
  const faults: string[] = [];
  for (const [number, attack] of attacks.entries()) {
    const round = { name: `attack-${number}.`, slowMs: 0, number };
    const { name } = round;
    await Promise.all(tabs.map((tab) => tab.run('open', name, 'localStorage', 0)));
    const found = await signIn(tabs, round);
    await pick(tabs, number).run('attack', name, attack);
    await pause(100);
    await pick(tabs, number + 1).run('signIn', name, 'bob');
    found.push(...(await missing(tabs, round, 'bob')), ...(await callsAs(tabs, round, 'alice')));
    await pick(tabs, number).run('signOut', name);
    found.push(...(await missing(tabs, round, null)));
    if (found.length > 0) faults.push(`${attack}: ${found.join(', ')}`);
    await Promise.all(tabs.map((tab) => tab.run('close', name)));
  }
  return faults;
}

/** Runs rounds of each kind, those of each kind and latency side by side. Returns the faults of each round. */
export async function runRounds(tabs: readonly Tab[], count: number): Promise<string[]> {
  const latencies = [0, 20, 60];
  const lanes = Object.entries(kinds).flatMap(([kind, act]) =>
    latencies.map(async (slowMs) => {
      const faults: string[] = [];
      for (let number = 0; number < count / latencies.length; number += 1) {
        // Names of which none is the end of another.
        const name = `${kind.replaceAll(' ', '-')}-${slowMs}-${number}.`;
        await Promise.all(tabs.map((tab) => tab.run('open', name, 'localStorage', slowMs)));
        const found = await act(tabs, { name, slowMs, number });
        if (found.length > 0) faults.push(`${name} ${found.join(', ')}`);
        await Promise.all(tabs.map((tab) => tab.run('close', name)));
      }
      return faults;
    }),
  );
  return (await Promise.all(lanes)).flat();
}
