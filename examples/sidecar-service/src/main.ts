import { start } from './service.ts';

const service = await start(process.env);
process.once('SIGTERM', () => void service.close()); // a second one ends the process at once
