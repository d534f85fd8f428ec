// The names of secrets: headers, body fields, query parameters. They are compared without case, `-`, `_` and `.`.

/** Matches names of request headers that may contain secrets. */
export const secretHeader: RegExp = /auth|cookie|token|secret|pass|pwd|key|jwt|cred|session|\b(pin|otp)\b/i;
const credentialHeader = /^(?:proxy-)?authorization$|^cookie$/;
// Compared without separators, and with any prefix: `x_api_key`, `apiKey`, `client.secret`.
const secretName = /passw|token|secret|credential|authorization|cookie|jwt|api\.?key/i;
// `pass` only as a separate word (`dbPass`, `db_pass`): `compass` does not match.
const secretTextName = /pwd|passphrase|(?:^|[^a-z])pass(?:$|[^a-z])/i;
// `shipping` and `author` must not match. Of `user[pin]`, `user.pin`, `pin[]` and `ns:pin` only the last part counts.
const wholeName = /(?:^|[.:[])x?(?:auth|sessionid|privatekey|pin|otp)\]?(?:\[\d*\]?)?$/i;
// Flags by which programs take secrets: as the next argument, or attached to the flag. Includes the misspelling
// `token-fil`.
const secretFlag = /^(?:p|pw|pass|jwt|key)$|^(?:passw(?:or)?d|passphrase|token|bearer|secret)(?!-)/;
// Names that sound secret but contain other names, only some of which are secret.
const container = /^(?:\w*credentials?|cookies|\w*options)$/i;

/** True if a header, by its lower-case name, identifies the sender of a request. */
export const isCredentialHeader = (name: string): boolean => credentialHeader.test(name);

/** The name of a flag that takes a secret in most programs, without an attached value. */
export const secretFlagOf = (name: string): string | undefined => secretFlag.exec(name)?.[0];

const sounds = (name: string): boolean => {
  const joined = name.replace(/[-_]/g, '');
  return secretName.test(joined) || wholeName.test(joined);
};

/** True if everything below a field of this name is secret. */
export const isSecretName = (name: string): boolean => sounds(name) && !container.test(name);

/** True if a string value of this name is secret. */
export const isSecretTextName = (name: string): boolean =>
  sounds(name) || secretTextName.test(name.replace(/([a-z\d])(?=[A-Z])/g, '$1_'));
