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
import { passcodesPartition } from '#shared/domain/passcodes/passcode.ts'
import { portalSessions } from '#shared/domain/portal-sessions/portal-session.ts'
import { postureProviders } from '#shared/domain/posture-providers/posture-provider.ts'
import { dueAccountsPartition } from '#shared/jobs/account-deletion/due-account.ts'
import { logPartition, namedPartition } from '#shared/logs/entries/log-keys.ts'
import { oneTimePartition } from '#shared/sign-in/one-time-token.ts'
import { accountVersionKey, commitKey, partition, presenceItemKey } from '#shared/table/keys.ts'
import { v0Configurations } from '#shared/v0/configuration.ts'
import { v0Devices } from '#shared/v0/device.ts'
import { goneUsersPartition } from '#shared/v0/read-users.ts'
import { v0Rules } from '#shared/v0/rule.ts'
import { v0Users } from '#shared/v0/user.ts'

/**
 * Patterns of partition keys, as the roles name them. `*` stands at the end alone: anywhere else a value that a caller
 * chooses could pass for what follows it.
 */

/** Stands for an account's id: exactly its length, so that no value further back in a key can pass for the pattern. */
export const anyAccount = '?'.repeat(36)

const own = (name: string): string => partition(anyAccount, name)

/** The rows of a collection with what leads to them and what counts them. */
const rowsOf = ({ name }: { name: string }): string[] => [own(name), own(`${name}.*`)]

const liveOf = ({ name }: { name: string }): string => presenceItemKey(anyAccount, name, '').pk

const trailStreams = ['change', 'session', 'api_request'] as const
type TrailStream = (typeof trailStreams)[number]

/** The pointers to the entries of a stream. */
export const pointersOf = (stream: TrailStream): string => own(`log.${stream}.*`)

/** The entries of a stream and the pointers to them. */
export const entriesOf = (stream: TrailStream): string[] => [logPartition(anyAccount, stream, '*'), pointersOf(stream)]

export const rateBuckets = own('rate.*')
/** Buckets of source addresses and email addresses, which no account owns. */
export const sourceRates = 'service#rate.*'
export const commitRecordPartitions = commitKey(anyAccount, 0).pk

/** Permanent records: nothing changes them, and they end only by their retention or with their account. */
export const auditTrail = [commitRecordPartitions, ...trailStreams.flatMap(entriesOf)]

/** Proofs of the trail: the state of the sealed logs and their tiles. */
export const sealedParts = own('seal.*')
/** List of the accounts whose logs are sealed. Without its entry an account is sealed no more. */
export const sealedAccounts = 'service#seal*'

/** Items that end an account and its trail: its row, and the note that it is due. */
export const endOfAccounts = [own(accounts.name), dueAccountsPartition]

/** Notes of the last use of tokens of the account API. */
export const lastUse = [apiTokens, actors].map(liveOf)

/** Items of connections to the live channel. */
const connectionParts = [own('connections.clients'), own('connections.gateways'), 'service#connection#*']

/** Partitions that every device writes: its sessions, and the commit of its registration. */
const deviceParts = [
  accountVersionKey(anyAccount).pk,
  commitRecordPartitions,
  ...entriesOf('session'),
  own('unique.devices.*'),
  rateBuckets,
  ...connectionParts,
]

/** Authorizations and what leads to them: a client makes them, and every device takes away what has ended. */
export const authorizationParts = [own('authorizations#*'), own('authorizations.*')]

/** Partitions that a client writes: itself, its sessions and its authorizations. */
export const clientParts = [
  ...deviceParts,
  ...authorizationParts,
  ...rowsOf(clients),
  own('unique.clients.*'),
  // A grant notes at the gateway that it was told.
  ...[clients, clientTokens, actors, gateways].map(liveOf),
  own('sessions.client_token#*'),
  own('attribution'),
  namedPartition(anyAccount, 'flow', 'email', '*'),
]

/** Partitions that a gateway writes: itself, its sessions, and the token that its own has replaced. */
export const gatewayParts = [
  ...deviceParts,
  ...rowsOf(gateways),
  ...rowsOf(gatewayTokens),
  ...[gateways, gatewayTokens].map(liveOf),
  own('sessions.gateway_token#*'),
]

/** Partitions that the live channel writes: a handshake is a heartbeat. */
export const liveParts = [
  ...connectionParts,
  ...[clients, clientTokens, actors, gateways, gatewayTokens].map(liveOf),
  own('sessions.gateway_token#*'),
  rateBuckets,
]

/** Collections whose rows show secrets to their readers (`/v0` contract, 10.1, 12.4); those of providers are encrypted. */
const secretRows = [v0Configurations, v0Devices].flatMap(rowsOf)

/** Partitions that a read of any other collection needs nothing from. No read shows the secrets of the latter. */
export const notForReaders = [
  ...secretRows,
  ...[portalSessions, gatewayTokens].flatMap(rowsOf),
  own('passcodes'),
  own('sign_in.*'),
  own('idempotency#*'),
]

/** Partitions that the reads of collections with secrets query, with those that identify the caller. */
export const secretReaderReads = [
  ...secretRows,
  ...[accounts, actors, apiTokens].map(({ name }) => own(name)),
  liveOf(apiTokens),
  accountVersionKey(anyAccount).pk,
  rateBuckets,
  goneUsersPartition(anyAccount),
]

/** Partitions that no decision about a device needs: secrets above all, and records of others. */
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
  ].flatMap(rowsOf),
  own('passcodes'),
  own('sign_in.*'),
  own('sync.*'),
  own('limits.*'),
  own('idempotency#*'),
  own('log.*'),
]

/** Written by a callback of a provider: the pending sign-in, the code that follows it, and the last fault of the provider. */
export const callbackParts = [
  oneTimePartition(anyAccount, 'pending'),
  oneTimePartition(anyAccount, 'code'),
  ...Object.values(authProviders).map(liveOf),
  sourceRates,
]

/** Written by a sign-in: what it gives and is proven by, its attempts, and the sessions of a former subject, which it ends. */
export const signInParts = [
  ...callbackParts,
  accountVersionKey(anyAccount).pk,
  commitRecordPartitions,
  ...entriesOf('session'),
  ...[externalIdentities, clientTokens, portalSessions].flatMap(rowsOf),
  ...[clients, clientTokens].map(liveOf),
  own('unique.external_identities.*'),
  passcodesPartition(anyAccount),
  duePartition('*'),
  rateBuckets,
]

/** Partitions that a sign-in reads, with those that it writes. */
export const signInReads = [
  ...signInParts.filter((pattern) => !entriesOf('session').includes(pattern)),
  ...[accounts, actors, ...Object.values(authProviders)].flatMap(rowsOf),
  own('unique.actors.*'),
  serviceUniqueKey('slug', '*').pk,
  ...authorizationParts,
  own('sessions.client_token#*'),
]

/** Partitions that lead to the public keys of a directory. */
export const directoryKeysReads = [own(directories.idp.name), 'service#idp_directory#*', sourceRates]

/** Partitions that the mailing of a passcode writes: the passcode, and the times of mails. */
export const passcodeParts = [passcodesPartition(anyAccount), 'service#mails.passcode#*']

/** Partitions that the mailing of a passcode reads: the actor of the address, and the ways to sign in. */
export const passcodeReads = [
  ...passcodeParts,
  ...[accounts, actors, ...Object.values(authProviders)].map(({ name }) => own(name)),
  own('unique.actors.*'),
  accountVersionKey(anyAccount).pk,
]
