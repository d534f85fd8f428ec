import { authenticates } from '../../mock/config/mock-config.js';
import type { Mock } from '../../mock/mock.js';
import { bodyOf, callOf } from '../answers/edit-effects.js';
import type { Edit, ManagementCall } from '../api.js';
import { ConsoleError } from '../console-error.js';
import { consoleHeader } from './numbered-requests.js';
import type { FaultList } from './test-kit.js';

/** An answered call, with the mark by which the request log recognizes it as the console's. */
interface Sent {
  readonly call: ManagementCall;
  readonly mark: string;
}

/** The message of a refusal, which the services write themselves. */
function messageOf(text: unknown): string {
  try {
    const { message }: { message?: unknown } = JSON.parse(String(text));
    return typeof message === 'string' ? message : '';
  } catch {
    return '';
  }
}

const codes = new Map([
  [400, 'invalid'],
  [404, 'not-found'],
  [409, 'conflict'],
] as const);

/** Sends edits to the management API of a mock, as its superuser. The token never leaves this module. */
export class Management {
  readonly #mock: Mock;
  readonly #faults: FaultList;
  readonly #marks = new Set<string>();

  constructor(mock: Mock, faults: FaultList) {
    this.#mock = mock;
    this.#faults = faults;
  }

  /** True for a header value that marks a request of this console. */
  isOwn(mark: string | undefined): boolean {
    return mark !== undefined && this.#marks.has(mark);
  }

  /**
   * @param check called at the last moment; what it throws is thrown.
   * @throws ConsoleError with the services' message if they refuse.
   */
  async send(edit: Edit, check: () => void): Promise<Sent> {
    const call = callOf(edit);
    const body = bodyOf(edit);
    const mark = crypto.randomUUID();
    const headers = new Map([
      [consoleHeader, mark],
      ['user-agent', 'arango-services console'],
      ['content-type', 'application/json'],
    ]);
    if (authenticates(this.#mock.settings)) {
      const token = await this.#mock.tokens.issue({ user: null, lifetime: '1m' });
      headers.set('authorization', `bearer ${token}`);
    }
    const text = body === undefined ? undefined : JSON.stringify(body);
    const request = { method: call.method, path: call.path, query: '', headers, body: text };
    check();
    this.#marks.add(mark);
    const { status, body: answer } = await this.#faults.without(() => this.#mock.handle(request), this.#mock.epoch);
    if (status === 200) return { call, mark };
    const why = messageOf(answer) || (status === 0 ? 'the mock was restored meanwhile' : `status ${status}`);
    // The cast: a status that is not in the table fails.
    throw new ConsoleError(codes.get(status as 400) ?? 'failed', `the management API refused: ${why}`, 'edit');
  }
}
