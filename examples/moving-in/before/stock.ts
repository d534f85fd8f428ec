interface User {
  readonly username: string;
  readonly password: string;
}

export function createStock(url: string, user: User) {
  let token: Promise<string> | undefined;
  async function login(): Promise<string> {
    const response = await fetch(`${url}/_open/auth`, { method: 'POST', body: JSON.stringify(user) });
    return (await response.json()).jwt;
  }
  const timer = setInterval(() => {
    token = login();
  }, 45 * 60_000);
  return {
    async left(item: string): Promise<number> {
      token ??= login();
      const headers = { authorization: `bearer ${await token}` };
      const response = await fetch(`${url}/_db/shop/stock/${encodeURIComponent(item)}`, { headers });
      if (!response.ok) throw new Error(`status ${response.status}`);
      return (await response.json()).left;
    },
    close: () => clearInterval(timer),
  };
}
