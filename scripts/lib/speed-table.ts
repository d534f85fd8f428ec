const contenders = ['ky', 'arangojs', 'Route', 'Route, without ky', 'Route, nodeTransport'];
const columns = ['ky', 'arangojs', '`Route`', '`Route` without ky', '`Route` over `nodeTransport`'];

/** The ratios of CPU time to raw fetch in one part of what bench/http prints, by the name of the contender. */
function ratiosOf(results: string, title: string): Map<string, string> {
  const [, part = ''] = results.split(`\n${title}\n`);
  const lines = part.split('\n\n', 1)[0] ?? '';
  return new Map(
    [...lines.matchAll(/^ *(.+?) \/ raw fetch +([\d.]+) /gm)].map(([, name = '', ratio = '']) => [name, ratio]),
  );
}

/** The table of a call's cost in docs/measured.md, from what `npm run bench -- http` wrote into bench/RESULTS.md. */
export function formatSpeed(results: string): string {
  const rows = ['1 at once', '16 at once'].map((many) => {
    const [get, post] = ['GET', 'POST'].map((method) => ratiosOf(results, `${method} of 1 kB JSON, ${many}`));
    return `| ${many} | ${contenders.map((name) => `${get?.get(name)}, ${post?.get(name)}`).join(' | ')} |`;
  });
  const head = `| GET, POST of 1 kB: CPU time, raw \`fetch\` is 1 | ${columns.join(' | ')} |`;
  return [head, `|---|${columns.map(() => '---|').join('')}`, ...rows].join('\n');
}
