import { duePartition } from '#shared/commit/due.ts'
import { accounts } from '#shared/domain/accounts/account.ts'
import { serviceGuard } from '#shared/domain/accounts/service-guard.ts'
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
import { lastGoodRunKey } from '#shared/domain/sync/last-good-run.ts'
import { dueAccountsPartition } from '#shared/jobs/account-deletion/due-account.ts'
import { sealedRows } from '#shared/jobs/secret-rotation/sealed-rows.ts'
import { logPartition, namedPartition } from '#shared/logs/log-keys.ts'
import { lockRenewalKey } from '#shared/seal/log/lock-renewal.ts'
import { oneTimePartition } from '#shared/sign-in/one-time-token.ts'
import { commitKey, headKey, liveKey, partition } from '#shared/table/keys.ts'
import { v0Configurations } from '#shared/v0/configuration/configuration.ts'
import { v0Devices } from '#shared/v0/devices/device.ts'
import { v0Rules } from '#shared/v0/rules/rule.ts'
import { goneUsersPartition } from '#shared/v0/users/gone-users.ts'
import { v0Users } from '#shared/v0/users/user.ts'

type Collection = { name: string }

/**
 * Patterns of partition keys, as the roles name them. `*` stands at the end alone: anywhere else a value that a caller
 * chooses could pass for what follows it.
 */

/** Stands for an account's id: exactly its length, so that no value further back in a key can pass for the pattern. */
export const anyAccount = '?'.repeat(36)

const own = (name: string): string => partition(anyAccount, name)

/** The rows of a collection with what leads to them and what counts them. */
const rowsOf = ({ name }: Collection): string[] => [own(name), own(`${name}.*`)]

const liveOf = ({ name }: Collection): string => liveKey(anyAccount, name, '').pk

type TrailStream = 'change' | 'session' | 'api_request'

/** The pointers to the entries of a stream. */
export const pointersOf = (stream: TrailStream): string => own(`log.${stream}.*`)

/** The entries of a stream and the pointers to them. */
export const entriesOf = (stream: TrailStream): string[] => [logPartition(anyAccount, stream, '*'), pointersOf(stream)]

export const rateBuckets = own('rate.*')
/** Those of source addresses and email addresses, which no account owns. */
export const sourceRates = 'service#rate.*'
export const commitRecords = commitKey(anyAccount, 0).pk

/** What is on record for good: nothing of it is changed, and it goes only by its retention or with its account. */
export const auditTrail = [commitRecords, ...(['change', 'session', 'api_request'] as const).flatMap(entriesOf)]

/** What proves the trail: the state of the sealed logs and their tiles. */
export const sealedParts = own('seal.*')
/** Whose logs are sealed: an account that is not in it is sealed no more. */
export const sealedAccounts = 'service#seal*'

/** Progress of the renewal of locks. */
export const lockRenewal = lockRenewalKey.pk

/** What the end of an account goes by, with which its trail ends: its row, and the note that it is due. */
export const endOfAccounts = [own(accounts.name), dueAccountsPartition]

/** What the last use of a token of the account API is noted in. */
export const lastUse = [apiTokens, actors].map(liveOf)

/** What is stored of a connection to the live channel. */
const connectionParts = [own('connections.clients'), own('connections.gateways'), 'service#connection#*']

/** What every device writes of its sessions, with the commit that it makes when it registers. */
const deviceParts = [
  headKey(anyAccount).pk,
  commitRecords,
  ...entriesOf('session'),
  own('unique.devices.*'),
  rateBuckets,
  ...connectionParts,
]

/** Authorizations and what leads to them: a client makes them, and every device takes away what has ended. */
export const authorizationParts = [own('authorizations#*'), own('authorizations.*')]

/** What a client writes: itself, its sessions, and what it is authorized for. */
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

/** What a gateway writes: itself, its sessions, and the token that its own has replaced. */
export const gatewayParts = [
  ...deviceParts,
  ...rowsOf(gateways),
  ...rowsOf(gatewayTokens),
  ...[gateways, gatewayTokens].map(liveOf),
  own('sessions.gateway_token#*'),
]

/** What the live channel writes: a handshake is a heartbeat. */
export const liveParts = [
  ...connectionParts,
  ...[clients, clientTokens, actors, gateways, gatewayTokens].map(liveOf),
  own('sessions.gateway_token#*'),
  rateBuckets,
]

/** Every collection whose rows hold sealed secrets. */
const secretRows = [...sealedRows.values()].flatMap(({ entity }) => rowsOf(entity))

/** Partitions with secrets that an operation of the account API writes or checks, but no read shows. */
const notForAnyRead = [
  ...[portalSessions, gatewayTokens].flatMap(rowsOf),
  own('passcodes'),
  own('sign_in.*'),
  own('idempotency#*'),
]

/** Partitions that a read of any other collection needs nothing from. */
export const notForReaders = [...secretRows, own('sync.*'), ...notForAnyRead]

/** Partitions that the reads of collections with secrets query, with those that identify the caller. */
export const secretReaderReads = [
  ...secretRows,
  ...[accounts, actors, apiTokens].map(({ name }) => own(name)),
  ...[apiTokens, ...Object.values(authProviders)].map(liveOf),
  lastGoodRunKey(anyAccount, '').pk,
  own('sync.*'),
  headKey(anyAccount).pk,
  rateBuckets,
  goneUsersPartition(anyAccount),
]

/** What no decision about a device rests on: secrets above all, and what is on record of others. */
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

/** Written by a sign-in: what it gives and is proven by, its attempts, and the sessions of a former subject, which it ends. */
export const signInParts = [
  headKey(anyAccount).pk,
  commitRecords,
  ...entriesOf('session'),
  ...[externalIdentities, clientTokens, portalSessions].flatMap(rowsOf),
  ...[clients, clientTokens].map(liveOf),
  // The last fault of each provider.
  ...Object.values(authProviders).map(liveOf),
  own('unique.external_identities.*'),
  oneTimePartition(anyAccount, 'pending'),
  oneTimePartition(anyAccount, 'code'),
  passcodesPartition(anyAccount),
  duePartition('*'),
  rateBuckets,
  sourceRates,
]

/** What it looks at, beside what it writes. */
export const signInReads = [
  ...signInParts.filter((pattern) => !entriesOf('session').includes(pattern)),
  ...[accounts, actors, ...Object.values(authProviders)].flatMap(rowsOf),
  own('unique.actors.*'),
  serviceGuard('slug', '*').pk,
  ...authorizationParts,
  own('sessions.client_token#*'),
]

/** What the public keys of a directory are found in. */
export const directoryKeysReads = [own(directories.idp.name), 'service#idp_directory#*', sourceRates]

/** What the mailing of a passcode writes: itself, and when mails were sent. */
export const passcodeParts = [passcodesPartition(anyAccount), 'service#mails.passcode#*']

/** What it looks at beside: whom the address belongs to, and whether that one can sign in. */
export const passcodeReads = [
  ...passcodeParts,
  ...[accounts, actors, ...Object.values(authProviders)].map(({ name }) => own(name)),
  own('unique.actors.*'),
  headKey(anyAccount).pk,
]
