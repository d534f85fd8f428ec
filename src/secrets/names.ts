// The names that secrets go by: headers, fields of bodies, parameters of queries.

/** Matches the name of a header that a call is sent with if it may hold a secret. */
export const secretHeader: RegExp = /auth|cookie|token|secret|pass|pwd|key|jwt|cred|session|\b(pin|otp)\b/i;
const credentialHeader = /^(?:proxy-)?authorization$|^cookie$/;
const secretName = /passw|token|secret|credential|authorization|cookie|jwt|api-?key/i;
const maybeSecretName = /pass|pwd/i;
// `pass` only as a word of its own (`dbPass`, `db_pass`): a compass is no secret.
const secretTextName = /pwd|passphrase|(?:^|[^a-z])pass(?:$|[^a-z])/i;
// Without `-` and `_`: `shipping` and `author` hold no secret.
const wholeName = /(?:^|[.:[])x?(?:auth|sessionid|privatekey|pin|otp)\]?(?:\[\d*\]?)?$/i;
// Names that sound secret and hold other names, some of which are secrets.
const container = /^(?:\w*credentials?|cookies|\w*options)$/i;

/** True if a header, by its lower-case name, says who sends a request. */
export const isCredentialHeader = (name: string): boolean => credentialHeader.test(name);

/** True if a name, or the last one of `user[pin]`, `user.pin`, `pin[]` and `ns:pin`, is only as a whole a secret's. */
const isWholeName = (name: string): boolean => wholeName.test(name.replace(/[_-]/g, ''));

/** True if everything below this name is a secret. */
export const isSecretName = (name: string): boolean =>
  (secretName.test(name) && !container.test(name)) || isWholeName(name);

/** True if a text that goes by this name is a secret. */
export function isSecretTextName(name: string): boolean {
  if (secretName.test(name) || isWholeName(name)) return true;
  return maybeSecretName.test(name) && secretTextName.test(name.replace(/([a-z\d])(?=[A-Z])/g, '$1_'));
}
