import type { ActionCatalog } from '../../index.js';
import { defineCatalog } from './define-catalog.js';

/** The database's documentation does not say to which of these resources each action applies. */
const data = {
  resources: ['db:database:*', 'db:collection:*:*', 'db:view:*:*', 'db:analyzer:*:*', 'db:graph:*:*', 'db:user:*'],
};
/** Every admin action applies to the empty resource. */
const admin = { resources: [''] };

const definition = {
  name: 'the database core',
  source: 'ArangoDB with --server.external-rbac-service, state of 2026-09',
  actions: {
    'db:Create': { ...data, description: 'Creates databases, collections, views, analyzers, graphs and users.' },
    'db:Drop': { ...data, description: 'Drops databases, collections, views, analyzers, graphs and users.' },
    'db:Read': { ...data, description: 'Reads data and metadata.' },
    'db:WriteMeta': { ...data, description: 'Changes metadata: properties, indexes, links.' },
    'db:WriteData': { ...data, description: 'Writes documents.' },
    'db:UseApiVersion': { resources: ['db:apiversion:*'], description: 'Uses the API; asked before each request.' },
    'db:AdminMoveShards': { ...admin, description: 'Moves shards between servers.' },
    'db:AdminMonitoring': { ...admin, description: 'Reads metrics and statistics.' },
    'db:AdminMonitoringInternal': { ...admin, description: 'Reads internal metrics and statistics.' },
    'db:AdminCompaction': { ...admin, description: 'Starts a compaction.' },
    'db:AdminAuthReload': { ...admin, description: 'Reloads users and permissions.' },
    'db:AdminCrashHandler': { ...admin, description: 'Reads and deletes crash reports.' },
    'db:AdminApiCalls': { ...admin, description: 'Reads the recent API calls.' },
    'db:AdminAqlQueries': { ...admin, description: 'Reads the recent AQL queries.' },
    'db:AdminShutdown': { ...admin, description: 'Shuts a server down.' },
    'db:AdminReadLogs': { ...admin, description: 'Reads the logs.' },
    'db:AdminSetLogLevel': { ...admin, description: 'Sets log levels.' },
    'db:AdminOptions': { ...admin, description: 'Reads the options of a server.' },
    'db:AdminSupervisionState': { ...admin, description: 'Reads the state of the supervision.' },
    'db:AdminRemoveServer': { ...admin, description: 'Removes a server from the cluster.' },
    'db:AdminClusterInfo': { ...admin, description: 'Reads information about the cluster.' },
    'db:AdminMaintenance': { ...admin, description: 'Switches the maintenance mode.' },
    'db:AdminRebalance': { ...admin, description: 'Rebalances the shards.' },
    'db:AdminLicense': { ...admin, description: 'Reads and sets the license.' },
    'db:AdminBackup': { ...admin, description: 'Makes and restores hot backups.' },
    'db:AdminJobs': { ...admin, description: 'Reads and cancels jobs.' },
    'db:AdminReadReplicatedLog': { ...admin, description: 'Reads replicated logs.' },
    'db:AdminWriteReplicatedLog': { ...admin, description: 'Writes replicated logs.' },
    'db:AdminDump': { ...admin, description: 'Dumps data.' },
    'db:AdminRestore': { ...admin, description: 'Restores data.' },
    'db:AdminWalAccess': { ...admin, description: 'Reads the write-ahead log.' },
    'db:AdminReadAgency': { ...admin, description: 'Reads the agency.' },
    'db:AdminReadOnlyMode': { ...admin, description: 'Switches the read-only mode.' },
    'db:AdminReadAqlFunctions': { ...admin, description: 'Reads AQL user functions.' },
    'db:AdminWriteAqlFunctions': { ...admin, description: 'Writes AQL user functions.' },
    'db:AdminQueryCache': { ...admin, description: 'Reads, sets and clears the query cache.' },
    'db:AdminReadUsers': { ...admin, description: 'Lists the users.' },
  },
  needs: [
    {
      action: 'db:UseApiVersion',
      resource: 'db:apiversion:*',
      because: 'the database asks for it before each request, so every request is denied',
    },
    {
      action: 'db:Read',
      resource: 'db:database:_system',
      because: 'every client needs it for the handshake, wherever its data is',
    },
  ],
} as const;

/** The actions of the database core. */
export const database: ActionCatalog<keyof (typeof definition)['actions']> = /* @__PURE__ */ defineCatalog(definition);
