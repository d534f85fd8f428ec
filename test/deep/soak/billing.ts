import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The service that the soak's service calls: it is restarted on its port, and cuts its event streams. */
export class Billing {
  readonly #streams = new Set<ServerResponse>();
  #server = this.#create();
  #port = 0;
  #next = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  async start(): Promise<void> {
    this.#server = this.#create();
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Ends with every connection, as a process that is killed does. */
  async stop(): Promise<void> {
    const closed = new Promise((done) => this.#server.close(done));
    this.#server.closeAllConnections();
    this.#streams.clear();
    await closed;
  }

  /** Cuts the event streams in the middle of an event. */
  cut(): void {
    for (const stream of this.#streams) stream.write('data: begun', () => stream.destroy());
    this.#streams.clear();
  }

  /** Sends an event to each stream. */
  tell(): void {
    this.#next += 1;
    for (const stream of this.#streams) stream.write(`id: ${this.#next}\ndata: ${this.#next}\n\n`);
  }

  #create() {
    return createServer((request, response) => this.#answer(request, response));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url?.split('/').at(-1) ?? '';
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    if (path === 'events') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n');
      this.#streams.add(response);
      response.on('close', () => this.#streams.delete(response));
      return;
    }
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => {
      // Every 50th answer breaks off in its body.
      this.#next += 1;
      response.writeHead(200, { 'content-type': 'application/json' });
      const body = JSON.stringify({ bytes, path });
      if (this.#next % 50 === 0) response.write(body.slice(0, 5), () => response.destroy());
      else response.end(body);
    });
  }
}
