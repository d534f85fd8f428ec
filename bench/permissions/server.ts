// A mock on a port in a separate process, whose services ask for no credentials. It sends its port as its message.
import { listen } from '../../dist/mock/adapters/node/index.js';
import { createMock } from '../../dist/mock/index.js';

const { port } = await listen(await createMock({ authentication: { mode: 'None' } }));
process.send?.(port);
process.once('disconnect', () => process.exit());
