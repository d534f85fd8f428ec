import { type ClientOptions, createClient, credentials } from 'arango-services';

interface User {
  readonly username: string;
  readonly password: string;
}

export function createStock(url: string, user: User, options: Omit<ClientOptions, 'url'> = {}) {
  const login = credentials.login({ ...user, via: 'database' });
  const client = createClient({ url, database: 'shop', credentials: login, ...options });
  const stock = client.route('stock');
  return {
    async left(item: string): Promise<number> {
      return (await stock.get<{ left: number }>([item])).body.left;
    },
    close: () => client.close(),
  };
}
