/** What `--help` prints. */
export const help = `arango-services mock: the platform's services on a port, for tests and local use

Usage: arango-services mock [flags]

  --port <n>              the port; 0 is any free one (default 8529)
  --host <address>        where to listen (default 127.0.0.1: this machine only)
  --grpc-port <n>         the port of the gRPC services (the pool streams); 0 is any free one (default: none)
  --seed <file.json>      the configuration: users, policies, roles, bindings, …
  --fidelity <which>      documented (default) or sidecar
  --cors <origin>         a page's origin that may call, like http://localhost:5173; repeat it, or list them with commas
  --print-config          print the configuration in force, without secrets, and exit
  --log                   print a line for each request: method, path, status, decision
  -h, --help              print this

The services' own flags, which are also read from variables (INTEGRATION_AUTHORIZATION_V1_TYPE=never):

  --integration.authentication.mode <None|Native|SSO>
  --integration.authentication.v1.enabled[=true|false]
  --integration.authentication.v1.token.user <name>
  --integration.authentication.v1.token.ttl.min <duration>
  --integration.authentication.v1.token.ttl.max <duration>
  --integration.authentication.v1.token.ttl.default <duration>
  --integration.authorization.mode <None|Native|RBAC>
  --integration.authorization.v1.type <central|central-permissive|always|never>

A flag wins over a variable, a variable over the seed file.
Exit code: 0 when stopped, 1 when the port cannot be had, 2 for a wrong flag, variable or seed file.
`;
