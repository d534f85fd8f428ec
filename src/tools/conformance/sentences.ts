// The sentences of docs/wire.md that checks refer to, word by word. A row of a table counts as a sentence.
// `test/tools/conformance/sentences.test.ts` finds each of them on the page.

/** The sentences by their names in checks. */
export const sentences = {
  errors: 'An error is JSON: `{"code": <gRPC code>, "message": "…", "details": []}`.',
  unauthenticated: '7 PermissionDenied | 403 | 16 Unauthenticated | 401, with `WWW-Authenticate: <message>`',
  json: 'Answers are `application/json` in camelCase.',
  zeroValues:
    'A plain field that is not set appears with its zero value (`""`, `false`, `0`, `[]`, `{}`), ' +
    'a message that is not set as `null` (`item`, `scope`, `page`), and an optional field not at ' +
    'all (`user`, `details`, the `lifetime` of a request).',
  lenientBodies:
    'Unknown fields are ignored, a `null` field counts as not set, a missing body is an empty ' +
    'object, and the content type is ignored: the body is always read as JSON.',
  wrongBodies:
    '`null`, an array or a text as the whole body, a field of a wrong type (`"token": 5`, ' +
    '`"groups": "a"`, `[null]`) and malformed JSON are 400 InvalidArgument.',
  duplicateField:
    'A duplicate field is 400 (`duplicate field "user"`), whatever its values and even if ' +
    'spelled with escapes (`"\\u0075ser"`); so is a duplicate name in a map.',
  caseSensitive: 'Unknown fields may be duplicated, and names are case-sensitive: `User` is unknown.',
  typesInBody: '`name`, `user` and `role` in a body are checked for their type, although the path overrides them.',
  halfSurrogate:
    'An escape that is half of a surrogate pair (`"\\ud83d"`) is a syntax error, in keys and unknown fields too.',
  unknownPath: 'Below `/_integration` and `/_management` an unknown path is 404 `Not Found`.',
  otherMethod: 'A known path with another method is 501 `Method Not Allowed`, HEAD and OPTIONS included.',
  exactPaths:
    'Paths are compared exactly: case counts, and a trailing slash is an empty last segment, ' +
    'which is an empty name (`/policy/` is `Policy not found`).',
  decodedSegments:
    'Segments are compared decoded, but for `_management`, which counts only as it is written: ' +
    '`/_manag%65ment/…` is 404, and `/_int%65gration/…` is found.',
  unknownParameters: 'Query parameters that a GET does not know are ignored.',
  wrongParameters: 'A parameter of a wrong type, or given twice, is 400.',
  readQuery:
    'If a call reads its query (the lists of policies and roles, and logout), a `;` anywhere in it is 400 `invalid ' +
    'semicolon separator in query`, and an invalid escape is 400 `invalid URL escape "%zz"`.',
  grpcTimeout:
    '`grpc-timeout` is a whole number and a unit (`H`, `M`, `S`, `m`, `u`, `n`): anything else ' +
    'is 400 `invalid grpc-timeout: 1x`, before the token is checked.',
  noDeadline: '`0S` sets no deadline.',
  methodOverride:
    'A POST with exactly `Content-Type: application/x-www-form-urlencoded` may stand for another ' +
    'method: `X-HTTP-Method-Override` sets it, and a path that takes GET but not POST is read.',
  noOverride: 'With another content type the override is ignored.',
  secondSpace: 'A second space belongs to the token, which is then 401 `signature is invalid`.',
  identitySpace: 'Only identity skips white space there.',
  forwardedHeader:
    'The gateway forwards `Grpc-Metadata-<name>` as `<name>`, so `Grpc-Metadata-Authorization` ' +
    'counts as an authorization.',
  twoAuthorizations: 'If there is another one, too, the answer is 401.',
  validate:
    'POST `/validate` | `{token}` | `{isValid: true, message: "", details: {lifetime: "3599.9s", ' +
    'user?, groups: []}}`; for an invalid token 200 `{isValid: false, message}` without `details`',
  createToken: 'POST `/createToken` | `{user?, lifetime?, groups?}` | `{lifetime: "3600s", user, token, groups: []}`',
  identity:
    'GET `/identity` | header `Authorization: bearer <JWT>` | `{user}`; else 401 ' +
    '`Unauthenticated`. The query and cookies do not count',
  login:
    'POST `/login` | `{credentials: {username, password}, options?: {cookies?}}` | `{token}`; with cookies also ' +
    '`Set-Cookie: X-ArangoDB-Token-JWT=…; Path=/; Max-Age=3600`; 401 `Invalid credentials`; 400 `missing credentials`',
  logout:
    'GET `/logout?location=…` | cookies | `{}` and `Set-Cookie: <name>=<value>; Max-Age=0` for a ' +
    'session cookie that was sent; with `location` 302',
  lifetimes:
    'The lifetime of a token is one hour by default and is clamped to `ttl.min` and `ttl.max` ' +
    '(one minute and one hour as shipped); zero and negative lifetimes clamp to the minimum.',
  claims:
    'A token is a JWT with the claims `iss: "arangodb"`, `iat` and `exp` in whole seconds, `preferred_username`, and ' +
    '`groups` (an empty array if there are none; login tokens have no `groups`).',
  noLeeway:
    'There is no leeway: an `exp` that has passed and an `iat` or `nbf` in the future are ' +
    'refused, compared in whole seconds.',
  timesAreNumbers:
    'A time that is not a number makes the token invalid, `null` included, and a number beyond a ' +
    '64-bit float (`1e400`) anywhere makes it malformed.',
  issuer: 'The issuer is not checked.',
  withoutExp: 'A token without `exp` does not expire, and validate answers the lifetime `3600s` for it.',
  superuserToken: "A token whose `preferred_username` is missing or not text is a superuser's.",
  oddGroups: '`groups` that is not an array counts as none, and entries that are not text are dropped.',
  crit:
    '`crit` in its header | ignore it | `token is unverifiable`: a critical extension that is ' +
    'not understood must be refused (RFC 7515)',
  expZero: '`exp: 0` | does not expire; the lifetime that validate answers is negative | `token is expired`',
  farTimes:
    'an `iat` or `nbf` beyond 64 bits | wraps into the past: accepted | `token used before ' +
    'issued`, `token is not valid yet`',
  keysAlgorithm: "The algorithm is the key's, never the token's.",
  disabled:
    'validate answers that the token is valid, with the lifetime `3600s` and no user, so that evaluate-token sees ' +
    'the superuser. createToken answers `{lifetime: "3600s", token: "", groups: []}`, and identity answers `root`.',
  gate: 'createToken requires a permission only if central services are enabled **and** the active key is asymmetric.',
  gateRefusal: 'The refusal is 403 `Not allowed to create token for user "alice": Permission denied`.',
  evaluate: 'POST `/evaluate` | `{user, roles, action, resource, context?}` | `{message, effect: "Allow" \\| "Deny"}`',
  evaluateMany:
    'POST `/evaluate-many` | `{user, roles, items: [{action, resource, context?}]}` | `{message, effect, items: ' +
    '[{message, effect}]}` in order. Allow only if every item is allowed; Deny without items',
  evaluateToken:
    'POST `/evaluate-token` | `{token, action, resource, context?}` | as evaluate; an invalid ' +
    'token is 400, code 9, `JWT Token is invalid`',
  evaluateTokenMany: 'POST `/evaluate-token-many` | `{token, items}` | as evaluate-many',
  types:
    'The authorization types are `central`, which evaluates; `central-permissive`, which evaluates and is lenient ' +
    '(see [fidelity](#fidelity)); and `always` and `never`, which answer without evaluating, even for the superuser.',
  missingUser: 'A **missing** user, or `null`, is the superuser and is allowed; `""` is denied.',
  messages:
    'The messages are `Access Granted`, `Permission denied` (also for an explicit deny), ' +
    '`Superuser Allowed`, `Allowed by always plugin` and `Denied by never plugin`; permissive ' +
    '`Access granted` and `Access granted due to the Permissive mode`; for many `Access ' +
    'Granted`, `One of the requests has been denied` and `Missing permission evaluation items`.',
  denyWins: 'Within the policies of one binding an explicit Deny wins over any Allow, whatever the order.',
  nothingMatches: 'If nothing matches, the decision is a Deny.',
  missingPolicies: 'A role names policies; missing ones are skipped.',
  scope:
    'A binding gives a user a role inside a **scope**, which is itself a policy: the binding ' +
    "allows only what both the scope and the role's policies allow.",
  alternatives: 'Bindings are alternatives: one that allows is enough, and a Deny in one does not affect another.',
  noScope: 'A binding without a scope, or to a missing role, grants nothing.',
  segments: 'Each segment is exact, `*`, `prefix*` or `*suffix`; a `*` in the middle is literal.',
  lastStar: 'A last segment `*` matches one or more remaining segments, never none.',
  star: 'A pattern that is just `*` matches everything.',
  emptyAction: 'An empty action never matches, not even `*`.',
  codePoint: 'Comparison is by code point.',
  context: '`context` is ignored.',
  bearer: 'All of them need a bearer token, whose scheme is case-insensitive.',
  ownPermission:
    "POST `/validate` | none: the caller's own permission | `{action, resource, context?}` → " +
    '`{message: "", effect: "Allow"}` or `{message: "rpc error: code = PermissionDenied desc = ' +
    'Permission denied", effect: "Deny"}`; no token or a bad one is 401',
  list:
    'GET `/policy`, `/role` `?page&itemsPerPage` | `rbac:ListPolicy`, `rbac:ListRole` on `""` | `{names, page: ' +
    '{items: <all>, page}}`, sorted, 128 a page; a page of 0 or below, or past the end, has no names',
  get:
    'GET `/policy/{name}`, `/role/{name}` | `rbac:GetPolicy`, `rbac:GetRole` on the name | ' +
    '`{name, index, item}`; 404 `Policy not found`',
  create:
    'POST the same | `rbac:CreatePolicy`, `rbac:CreateRole` | `{item}` → `{name, index, item}`; ' +
    '409 `Policy already exists`; 400 `Item cannot be empty`',
  update: 'PUT the same | `rbac:UpdatePolicy`, `rbac:UpdateRole` | the same; 404',
  remove: 'DELETE the same | `rbac:DeletePolicy`, `rbac:DeleteRole` | `{name, index, item: null}`; 404',
  groupBindings:
    'GET `/group/{group}/role` | `rbac:ListGroupRoleBinding` on the group | `{bindings: [{role, scope}]}`, ' +
    'sorted by binding name',
  listBindings:
    'GET `/user/{user}/role` | `rbac:ListUserRoleBinding` on the user | `{bindings: [{role, scope}]}`, sorted by role',
  assign:
    'POST `/user/{user}/role/{role}` | `rbac:AssignUserRole` on the user | `{scope}` → `{user, ' +
    'role, scope, index}`; 409; 400 `Scope cannot be empty`; the role need not exist',
  replaceScope: 'PUT the same | `rbac:ReplaceUserRoleScope` on the user | the same; 404 `User role binding not found`',
  removeRole: 'DELETE the same | `rbac:RemoveUserRole` on the user | `{user, role, scope: null, index}`',
  publishedKeys:
    'GET, POST `/_management/authentication/keys` | none, but a token | `{keys: [public PEM], ' +
    'checksum}`, no keys if they are symmetric; POST with a `{checksum}` that still holds is 409',
  permissionFirst: 'The permission is checked before the body.',
  pathWins: 'A name in the path wins over a name in the body.',
  slash: 'One with a `/` is 404, even if it is encoded, and the clients refuse it.',
  sortedOnWrite: "On a write, actions, resources and a role's policies are sorted by code point and made " + 'unique.',
  colonUsers:
    'A binding counts for every user whose name, followed by a `:`, is a prefix of its own; the ' +
    'role is the one that was written.',
  index: 'It starts at 1 and grows with every write, deletes and updates without a change included.',
  bindingsStay: 'Deleting a role or policy leaves the bindings that name it.',
  managementToken: 'No token or another scheme is 401 `Unauthorized`; a bad token is 401 with its reason.',
  cookie: 'cookie `X-ArangoDB-Token-JWT` | not looked at | accepted | accepted',
  restOfBody: 'text after the JSON value of a body | 400 | ignored',
  shortNames:
    "The platform's [gateway](#the-gateway) serves `/_identity`, `/_login` and `/_logout` as " +
    'short names of identity, login and logout.',
  poolState:
    '`GetPolicy`, `GetRole` and `GetUserRoleBinding` (request `Empty`) stream the current state ' +
    'in the order of the index, 128 items per message, and end.',
  poolToken: 'They need a valid token and no permission.',
  poolChanges:
    '`PoolPolicyChanges`, `PoolRoleChanges` and `PoolUserRoleBindingChanges` (request `{start, timeout}`) stream the ' +
    'changes after the index `start`, in order, with every version of an item and at most 128 items per message.',
  poolTick:
    'The services poll for changes at every tick (250 ms for policies, one second for the ' +
    'others), and send nothing before the first message of a stream, not even headers.',
  poolPermission:
    'They need `rbac:PoolPolicy`, `rbac:PoolRole` and `rbac:PoolUserRoleBinding` on the resource ' +
    '`""`, which only a pattern `*` matches.',
  poolTokens:
    'No token is UNAUTHENTICATED `Unauthorized`, a bad one UNAUTHENTICATED with the reason, a ' +
    "missing permission PERMISSION_DENIED with the decision's message.",
  poolDeletion: 'An item is `{name, index, item}`; one without content is a deletion.',
  poolIndex: 'Each kind has its own index, which starts at 1 and grows by one with each change.',
  poolHeartbeat:
    'If `timeout` has passed without a change, an empty message is sent at the next tick; ' +
    'without `timeout`, at every tick.',
  poolRange: 'A `start` that is older is OUT_OF_RANGE `out of bounds`, at the first tick.',
  rolesCount:
    '`roles` in evaluate, `groups` of a token | count: the policies of these roles apply, within ' +
    "the role's own scope if it has one, in addition to the user's bindings | ignored: bindings " +
    'only',
  whoIsChecked:
    "who is checked when a token is created | the caller's token; no token is 401 | the " +
    'requested user; the caller does not matter',
  hours: '`lifetime: "1h"` in a request | accepted | 400',
  reasons:
    'the reason when validate refuses a token | the specific one (`token is expired`, `token is ' +
    'malformed`, `signature is invalid`, …) | `signature is invalid`, unless there are passive ' +
    'keys and the token is malformed or signed by one of them: then every rule that it breaks ' +
    '(`token has invalid claims: token is expired, token used before issued`)',
  identityOfSuperuser: 'identity of a token without a user | `root` | `""`',
  anyScheme: 'scheme of `Authorization` at identity | any case | `bearer ` in lower case only',
  oddEffects:
    'an effect that is neither Allow nor Deny in a policy | 400 | a text is stored as Deny; a ' +
    'number other than 0 and 1 is 500',
  faults:
    'a policy or role that does not validate | 400 with the path of each fault | 500 with nested ' +
    'counts (`Received 1 errors: statements: …`); bindings 400',
  unparsablePattern:
    'a pattern that cannot be parsed (`*x*`) | 400 on write | accepted; evaluate skips the whole ' +
    'policy; the management API answers 500 to every user who has it',
  missingBinding: 'removing a binding that does not exist | 404 | 500 `not found`',
  colonNames:
    'the name `user:role` of a binding if user or role contains a `:` | each user has bindings of their own | one ' +
    'binding per name; it counts for every user that the name begins with ([names of bindings](#names-of-bindings))',
} as const;

/** The name of a sentence. */
export type SentenceName = keyof typeof sentences;
