import { headers } from 'next/headers';
import { Orders } from './orders.tsx';
import { Permissions } from './permissions-provider.tsx';
import { questions, readPermissions } from './platform.ts';

// Reading the headers renders the page anew for each request.
export default async function Page() {
  const initial = await readPermissions(await headers(), questions);
  if (!initial) return <p>Please sign in.</p>;
  return (
    <Permissions key={initial.user} initial={initial}>
      <Orders />
    </Permissions>
  );
}
