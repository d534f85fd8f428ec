import type { Checks } from './checks.ts';
import { findContentFaults, type PackedContent } from './content.ts';
import { findChangelogFaults, findOriginFaults, findUncommitted, findVersionFaults, type Origin } from './release.ts';

/** A commit that is to be released, and what is known of it. */
export interface Candidate {
  readonly manifest: Origin & { readonly version: string };
  /** A day like `2026-11-21`. */
  readonly today: string;
  /** The tag that the release workflow has checked already, in other jobs. */
  readonly checked?: string | undefined;
  /** The repository that builds the release (`owner/name`), where that is known. */
  readonly building?: string | undefined;
  /** The tags of the repository. */
  tags(): Promise<readonly string[]>;
  /** The output of `git status --porcelain`. */
  status(): Promise<string>;
  changelog(): Promise<string>;
  /** Runs `npm run check`, and rejects with its output if it fails. */
  check(): Promise<unknown>;
  content(): Promise<PackedContent>;
}

/**
 * Runs the checks of a release. The quick ones come first: only if they pass, the check of the code begins, which takes
 * minutes. True if all pass.
 */
export async function checkRelease(candidate: Candidate, checks: Checks): Promise<boolean> {
  const { manifest, today, checked, building } = candidate;
  const { version } = manifest;
  await checks.run(`version ${version}`, async () => findVersionFaults(version, await candidate.tags(), checked));
  await checks.run('origin', async () => findOriginFaults(manifest, building));
  await checks.run('changelog', async () => {
    const changelog = await candidate.changelog().catch((error: NodeJS.ErrnoException) => error);
    if (changelog instanceof Error) return [`CHANGELOG.md cannot be read (${changelog.code ?? changelog.message})`];
    return findChangelogFaults(changelog, version, today);
  });
  await checks.run('clean tree', async () => findUncommitted(await candidate.status()));
  if (checks.hasFailed) return false;
  if (checked === undefined) {
    await checks.run('npm run check', async () => {
      await candidate.check();
      return [];
    });
  }
  // After the check, which builds.
  await checks.run('content and size of the tarball', async () => findContentFaults(await candidate.content()));
  return !checks.hasFailed;
}
