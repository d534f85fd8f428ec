import { start } from './service.ts';

const service = await start(process.env, Number(process.env.PORT ?? 3000));
console.log(`orders on ${service.url}`);
process.once('SIGTERM', () => void service.close());
