// What the first screen shows before its scripts run. test/site/first-screen.test.ts compares the answer with that of the
// package.

/** The permissions that the page begins with: no line is wider than a phone. */
export const permissions = `policies:
  read-orders:
    statements:
      - effect: Allow
        actions: ["orders:read"]
        resources: ["orders:*"]
roles:
  viewer: { policies: [read-orders] }
bindings:
  - user: alice
    role: viewer
    scope:
      statements:
        - effect: Allow
          actions: ["*"]
          resources: ["*"]`;

const denial = `      - effect: Deny
        actions: ["orders:*"]
        resources: ["orders:7"]
`;

/** True if the text holds the Deny of the button. */
export const isDenied = (text: string): boolean => text.includes(denial);

/** Adds the Deny below the policy's statements, or removes it. Returns the text as it is if it has no `roles:`. */
export function toggleDenial(text: string): string {
  if (isDenied(text)) return text.replace(denial, '');
  return text.replace(/^roles:/m, `${denial}roles:`);
}

/** The request of the first screen, and the question that its guard asks. */
export const question = { action: 'orders:read', resource: 'orders:7' } as const;
export const user = 'alice';

/** The answer to the request. */
export interface Answer {
  readonly status: number;
  readonly body: string;
  /** The statement that decided, or the reason if none did. */
  readonly because: string;
  /** All that was considered, one line each. */
  readonly explanation: string;
}

/** The answer over the permissions that the page begins with. */
export const firstAnswer: Answer = {
  status: 200,
  body: '{"id":"7","total":9.5}',
  because: 'policy "read-orders" statement 1: Allow orders:read on orders:*',
  explanation: `Allow: user "alice", "orders:read" on "orders:7": granted
- bound to role "viewer": allows
    policy "read-orders" statement 1: Allow orders:read on orders:*
    scope statement 1: Allow * on *`,
};
