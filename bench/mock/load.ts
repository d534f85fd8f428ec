import { once } from 'node:events';
import { connect } from 'node:net';

/** The bytes of a POST. */
export function postBytes(path: string, body: string, type = 'application/json'): Buffer {
  const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: ${type}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return Buffer.from(head + body);
}

/** Repeats a request on one connection while `more()` returns true; returns the last response. */
async function lane(port: number, request: Buffer, more: () => boolean): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect');
  return new Promise((resolve, reject) => {
    let got = '';
    const next = (answer: string): void => {
      if (more()) return void socket.write(request);
      socket.destroy();
      resolve(answer);
    };
    socket.on('close', () => reject(new Error('the server closed the connection')));
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      got += chunk;
      const end = got.indexOf('\r\n\r\n');
      const length = end < 0 ? undefined : /\r\ncontent-length: (\d+)/i.exec(got)?.[1];
      if (length === undefined || got.length < end + 4 + Number(length)) return;
      const answer = got;
      got = '';
      next(answer);
    });
    next('');
  });
}

/**
 * Sends a request `operations` times, `atOnce` concurrently, and returns one of the responses. It costs next to
 * nothing: raw connections and prepared bytes. Connections are new in each call, because a server may close idle ones
 * between rounds.
 */
export async function sendMany(port: number, request: Buffer, atOnce: number, operations: number): Promise<string> {
  let left = operations;
  let isOver = false;
  // A process that sleeps is woken by the server's writes, at the server's expense, and the slower server pays more often.
  const stayAwake = (): void => {
    if (!isOver) setImmediate(stayAwake);
  };
  stayAwake();
  try {
    const answers = await Promise.all(Array.from({ length: atOnce }, () => lane(port, request, () => left-- > 0)));
    return answers[0] ?? '';
  } finally {
    isOver = true;
  }
}
