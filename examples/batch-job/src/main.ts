import { createClient, credentials } from 'arango-services';
import { createBar } from './bar.ts';
import { upload } from './upload.ts';

const { ARANGO_URL: url = 'http://localhost:8529', JOB_USER = 'root', JOB_PASSWORD = '' } = process.env;
const [file = 'orders.ndjson', partSize] = process.argv.slice(2);
const client = createClient({
  url,
  database: 'shop',
  credentials: credentials.login({ username: JOB_USER, password: JOB_PASSWORD }), // renewed while the job runs
});
try {
  const bar = createBar({ isTTY: process.stderr.isTTY, write: (text) => process.stderr.write(text) });
  const rows = await upload(client, file, bar, partSize ? Number(partSize) : undefined);
  console.log(`${rows} rows sent`);
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  await client.close();
}
