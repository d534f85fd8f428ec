/**
 * Describes a name that is not accepted: the accepted ones, and the one that it is most similar to, if at least half of
 * that begins or ends alike (`pasword`, `retries`). Far smaller than `nearest`, because it is part of every bundle.
 */
export function unknownName(text: string, names: readonly string[]): string {
  let hint = '';
  let most = 0;
  for (const name of names) {
    let same = -name.length / 2;
    for (let i = 0; name.at(i) === text.at(i); i++) same++;
    for (let i = -1; name.at(i) === text.at(i); i--) same++;
    if (same > most) [hint, most] = [` (did you mean "${name}"?)`, same];
  }
  return `unknown${hint}; accepted are ${names.join(', ')}`;
}
