import { duePartition } from '#shared/commit/due.ts'
import { accounts, serviceUniqueKey } from '#shared/domain/accounts/account.ts'
import { actors } from '#shared/domain/actors/actor.ts'
import { apiTokens } from '#shared/domain/api-tokens/api-token.ts'
import { authProviders } from '#shared/domain/auth-providers/auth-provider.ts'
import { clientTokens } from '#shared/domain/client-tokens/client-token.ts'
import { clients } from '#shared/domain/clients/client.ts'
import { directories } from '#shared/domain/directories/directory.ts'
import { externalIdentities } from '#shared/domain/external-identities/external-identity.ts'
import { gatewayTokens } from '#shared/domain/gateway-tokens/gateway-token.ts'
import { gateways } from '#shared/domain/gateways/gateway.ts'
import { mdmDevices } from '#shared/domain/mdm-devices/mdm-device.ts'
import { searchedObjects } from '#shared/domain/names/name-index.ts'
import { passcodesPartition } from '#shared/domain/passcodes/passcode.ts'
import { portalSessions } from '#shared/domain/portal-sessions/portal-session.ts'
import { postureProviders } from '#shared/domain/posture-providers/posture-provider.ts'
import { dueAccountsPartition } from '#shared/jobs/account-deletion/due-account.ts'
import { logPartition, pointerPartition } from '#shared/logs/entries/log-keys.ts'
import { refusalsPartition, refusalTotalsPartition } from '#shared/logs/refusals/refusals.ts'
import { oneTimePartition } from '#shared/sign-in/one-time-token.ts'
import { accountVersionKey, commitKey, indexPartition, partition, presenceItemKey } from '#shared/table/keys.ts'
import { v0Configurations } from '#shared/v0/configuration.ts'
import { v0Devices } from '#shared/v0/device.ts'
import { deletedUsersPartition } from '#shared/v0/read-users.ts'
import { v0Rules } from '#shared/v0/rule.ts'
import { v0Users } from '#shared/v0/user.ts'

/**
 * Pattern for the account's id in a partition key. It has exactly the length of an id, so that a value further back in a key cannot match.
 * For the same reason, a pattern has `*` only at its end.
 */
export const anyAccount = '?'.repeat(36)

const inAccount = (name: string): string => partition(anyAccount, name)

/** Partitions of the rows, index items and counters of a collection. */
const collectionPartitions = ({ name }: { name: string }): string[] => [inAccount(name), inAccount(`${name}.*`)]

const presencePartition = ({ name }: { name: string }): string => presenceItemKey(anyAccount, name, '').pk

const trailStreams = ['change', 'session', 'api_request'] as const
type TrailStream = (typeof trailStreams)[number]

export const pointersOf = (stream: TrailStream): string => inAccount(`log.${stream}.*`)

export const entriesOf = (stream: TrailStream): string[] => [logPartition(anyAccount, stream, '*'), pointersOf(stream)]

export const rateBuckets = inAccount('rate.*')
/** Rate limit buckets of source addresses and email addresses, which belong to no account. */
export const sourceRates = 'service#rate.*'
export const commitRecordPartitions = commitKey(anyAccount, 0).pk

/** Partitions of the audit trail. Its items never change. Only retention or account deletion deletes them. */
export const auditTrail = [commitRecordPartitions, ...trailStreams.flatMap(entriesOf)]

/** Partitions with the state and tiles of the sealed logs, which prove the audit trail. */
export const sealedParts = inAccount('seal.*')
/** Partitions with the list of sealed accounts. An account that is not in the list is not sealed. */
export const sealedAccounts = 'service#seal*'

/** Partitions of the flow reports since the last flush. */
export const flowBlocks = inAccount('log.flow.block#*')
/** Partition of the open set. The pointers to open flows of the log are stored in the same partition. */
export const openFlowParts = inAccount('log.flow.open')
/** Partitions with the index of archived files, from which queries find archived flows. */
export const fileIndexParts = [inAccount('log.flow.file'), inAccount('log.flow.late')]
/** Partitions with the index of archived files, and with the counters of archived flows by dimension. */
export const archiveIndexParts = [...fileIndexParts, inAccount('log.flow.count#*')]
export const actorCounts = inAccount('log.flow.count#actor')
/** Partition with the state of an account's archive: watermark, lease and hashes of manifests. */
export const archiveStates = inAccount('archive')

/** Partitions of the index of names, which only its consumer writes. */
export const nameIndex = inAccount('names#*')

/** Partitions of the rows whose names are indexed. */
export const namedRows = searchedObjects.map(inAccount)

/** Partitions whose items cause an account's deletion: the account's row, and the list of accounts due for deletion. */
export const endOfAccounts = [inAccount(accounts.name), dueAccountsPartition]

export const lastUsePartitions = [apiTokens, actors].map(presencePartition)

const connectionParts = [inAccount('connections.clients'), inAccount('connections.gateways'), 'service#connection#*']

/** Partitions that the requests of every device write: sessions, connections, and the registration commit. */
const deviceParts = [
  accountVersionKey(anyAccount).pk,
  commitRecordPartitions,
  ...entriesOf('session'),
  inAccount('unique.devices.*'),
  rateBuckets,
  ...connectionParts,
]

/**
 * Partitions of authorizations and their pointers. Clients create authorizations; requests of any device delete those that are no longer
 * valid.
 */
export const authorizationParts = [inAccount('authorizations#*'), inAccount('authorizations.*')]

/** Partition of refused authorizations, from which an erasure deletes. */
export const refusalParts = refusalsPartition(anyAccount)

/** Partitions that a client's requests write: its row, sessions and authorizations, and the count of its refusals. */
export const clientParts = [
  ...deviceParts,
  ...authorizationParts,
  ...collectionPartitions(clients),
  inAccount('unique.clients.*'),
  // Includes gateways, because a grant records in the gateway's presence item that the gateway was notified.
  ...[clients, clientTokens, actors, gateways].map(presencePartition),
  inAccount('sessions.client_token#*'),
  inAccount('attribution'),
  pointerPartition(anyAccount, 'flow', 'email', '*'),
  refusalParts,
  refusalTotalsPartition(anyAccount),
]

/** Partitions that a gateway's requests write: its row, its sessions, and the token that preceded its current token. */
export const gatewayParts = [
  ...deviceParts,
  ...collectionPartitions(gateways),
  ...collectionPartitions(gatewayTokens),
  ...[gateways, gatewayTokens].map(presencePartition),
  inAccount('sessions.gateway_token#*'),
]

/** Partitions that the live channel writes. A handshake also writes the partitions of a heartbeat. */
export const liveParts = [
  ...connectionParts,
  ...[clients, clientTokens, actors, gateways, gatewayTokens].map(presencePartition),
  inAccount('sessions.gateway_token#*'),
  rateBuckets,
]

/** Partitions of collections with secrets in their responses (`/v0` contract, 10.1, 12.4). Secrets of providers are encrypted instead. */
const secretRows = [v0Configurations, v0Devices].flatMap(collectionPartitions)

/** Partitions that `reader` must not access: collections with secrets in their responses, and items that no read request returns. */
export const notForReaders = [
  ...secretRows,
  // Excludes the rows of portal sessions, which authenticate the caller. `readerOfSessions` lists them.
  inAccount(`${portalSessions.name}.*`),
  inAccount('passcodes'),
  inAccount('sign_in.*'),
  inAccount('idempotency#*'),
]

/** Partitions that `readerOfLogs` must not access. Other reads of gateways need their tokens, to show which are online (P1.7). */
export const notForReadersOfLogs = [...notForReaders, ...collectionPartitions(gatewayTokens)]

/** Partitions with the items that authenticate the caller and limit its rate. */
const callerReads = [
  ...[accounts, actors, apiTokens, portalSessions].map(({ name }) => inAccount(name)),
  presencePartition(apiTokens),
  rateBuckets,
]

/** Partitions that `readerOfSessions` may read: the portal sessions of each actor, and the items of the caller. */
export const readerOfSessionsReads = [indexPartition(anyAccount, portalSessions.name, 'actor_id', '*'), ...callerReads]

/** Partitions that `secretReader` may read: collections with secrets, and the items of the caller. */
export const secretReaderReads = [
  ...secretRows,
  ...callerReads,
  accountVersionKey(anyAccount).pk,
  deletedUsersPartition(anyAccount),
]

/** Partitions that duties serving devices must not read, such as secrets and logs. */
export const notForDevices = [
  ...[
    ...Object.values(authProviders),
    ...Object.values(directories),
    postureProviders,
    externalIdentities,
    mdmDevices,
    apiTokens,
    portalSessions,
    v0Configurations,
    v0Devices,
    v0Rules,
    v0Users,
  ].flatMap(collectionPartitions),
  inAccount('passcodes'),
  inAccount('sign_in.*'),
  inAccount('sync.*'),
  inAccount('limits.*'),
  inAccount('idempotency#*'),
  inAccount('log.*'),
  archiveStates,
  nameIndex,
]

/** Partitions that a provider's callback writes: the pending sign-in, the code, and the provider's last error. */
export const callbackParts = [
  oneTimePartition(anyAccount, 'pending'),
  oneTimePartition(anyAccount, 'code'),
  ...Object.values(authProviders).map(presencePartition),
  sourceRates,
]

/** Partitions that a sign-in writes. They include the sessions of an identity's former subject, because the sign-in ends them. */
export const signInParts = [
  ...callbackParts,
  accountVersionKey(anyAccount).pk,
  commitRecordPartitions,
  ...entriesOf('session'),
  ...[externalIdentities, clientTokens, portalSessions].flatMap(collectionPartitions),
  ...[clients, clientTokens].map(presencePartition),
  inAccount('unique.external_identities.*'),
  passcodesPartition(anyAccount),
  duePartition('*'),
  rateBuckets,
]

/** Partitions that a sign-in reads. They include the partitions that it writes, except session log entries. */
export const signInReads = [
  ...signInParts.filter((pattern) => !entriesOf('session').includes(pattern)),
  ...[accounts, actors, ...Object.values(authProviders)].flatMap(collectionPartitions),
  inAccount('unique.actors.*'),
  serviceUniqueKey('slug', '*').pk,
  ...authorizationParts,
  inAccount('sessions.client_token#*'),
]

export const directoryKeysReads = [inAccount(directories.idp.name), 'service#idp_directory#*', sourceRates]

export const passcodeParts = [passcodesPartition(anyAccount), 'service#mails.passcode#*']

/** Partitions that are read to mail a passcode, such as the actor with the address and the sign-in providers. */
export const passcodeReads = [
  ...passcodeParts,
  ...[accounts, actors, ...Object.values(authProviders)].map(({ name }) => inAccount(name)),
  inAccount('unique.actors.*'),
  accountVersionKey(anyAccount).pk,
]
