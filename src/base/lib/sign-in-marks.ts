// Parts of errors that ask for a sign-in, for `isSignInRequired`.

/** The code of the cause of a CredentialsError after the end of a session, or before its start. */
export const noSession = 'NO_SESSION';
/** The problem of a question about `self` that has no token to send. */
export const noBearerToken = 'needs credentials with a bearer token';
