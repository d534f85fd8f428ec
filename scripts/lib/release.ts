const semver = /^(\d+)\.(\d+)\.(\d+)(?:-([\w.]+))?$/;

/** Below 0 where the first version is lower. A version with a suffix is lower than the one without. */
function compareVersions(first: string, second: string): number {
  const [a, b] = [semver.exec(first) ?? [], semver.exec(second) ?? []];
  for (const at of [1, 2, 3]) {
    const difference = Number(a[at]) - Number(b[at]);
    if (difference !== 0) return difference;
  }
  if (a[4] === b[4]) return 0;
  if (a[4] === undefined || b[4] === undefined) return a[4] === undefined ? 1 : -1;
  return a[4].localeCompare(b[4], 'en', { numeric: true });
}

/**
 * Finds faults in a version, given the tags of a repository (`v0.1.0`). `tag` is the one that is checked if the version
 * is tagged already.
 */
export function findVersionFaults(version: string, tags: readonly string[], tag?: string): string[] {
  if (!semver.test(version)) return [`${version} is no version like 1.2.3 or 1.2.3-beta.1`];
  if (tag !== undefined && tag !== `v${version}`) return [`package.json has ${version}, and the tag is ${tag}`];
  const released = tags
    .filter((name) => name !== tag)
    .map((name) => name.replace(/^v/, ''))
    .filter((name) => semver.test(name));
  const newest = released.toSorted(compareVersions).at(-1);
  if (newest === undefined || compareVersions(version, newest) > 0) return [];
  return [`${version} is not higher than ${newest}, which is tagged`];
}

interface Section {
  readonly title: string;
  readonly text: string;
}

const sectionsOf = (changelog: string): Section[] =>
  changelog
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = '', ...lines] = section.split('\n');
      return { title: title.trim(), text: lines.join('\n').trim() };
    });

/** Finds faults in a changelog that is to announce a version, on a day like `2026-11-21`. */
export function findChangelogFaults(changelog: string, version: string, today: string): string[] {
  const [unreleased, newest] = sectionsOf(changelog);
  if (unreleased?.title !== '[Unreleased]') return ['CHANGELOG.md does not begin with "## [Unreleased]"'];
  const faults = unreleased.text === '' ? [] : ['what stands below [Unreleased] belongs to no version yet'];
  const [, named, day = ''] = /^\[(.+)\] - (\d{4}-\d{2}-\d{2})$/.exec(newest?.title ?? '') ?? [];
  if (newest === undefined || named !== version)
    return [...faults, `"## [${version}] - ${today}" is not the newest section`];
  // Texts of this form sort as the days do.
  if (day > today || new Date(day).toJSON()?.slice(0, 10) !== day) faults.push(`${day} is not a day up to today`);
  if (!/^### (?:Added|Changed|Deprecated|Removed|Fixed|Security)\n+- /m.test(newest.text)) {
    faults.push(`[${version}] has no list below a heading like "### Added"`);
  }
  return faults;
}

/** Uncommitted paths in the output of `git status --porcelain`. */
export const findUncommitted = (status: string): string[] =>
  status
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => `not committed: ${line.trim()}`);

/** The fields of package.json that say where a package comes from. */
export interface Origin {
  readonly repository?: { readonly url?: string };
  readonly homepage?: string;
  readonly bugs?: string;
}

/** The owner of the repository in package.json until there is one. */
const ownerPlaceholder = 'OWNER';

/**
 * Finds the fields of package.json that a release needs and that are missing or have a placeholder. npm rejects a
 * provenance statement whose repository (`owner/name`) is not the one of package.json.
 */
export function findOriginFaults({ repository, homepage, bugs }: Origin, building?: string): string[] {
  const fields = { repository: repository?.url, homepage, bugs };
  const faults = Object.entries(fields).flatMap(([name, value]) => {
    if (value === undefined) return [`package.json has no \`${name}\``];
    return value.split('/').includes(ownerPlaceholder)
      ? [`\`${name}\` in package.json has the placeholder ${ownerPlaceholder}`]
      : [];
  });
  if (faults.length > 0 || building === undefined) return faults;
  const [, named = ''] = /github\.com\/(.+?)(?:\.git)?$/.exec(repository?.url ?? '') ?? [];
  return named === building ? [] : [`\`repository\` in package.json is ${named}, and this is ${building}`];
}
