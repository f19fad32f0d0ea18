import type { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { accounts } from '#shared/domain/accounts/account.ts'
import { entityKey } from '#shared/table/keys.ts'
import type { Storage } from '../storage/storage.ts'
import type { Duty } from './duties.ts'
import {
  anyAccount,
  authorizationParts,
  clientParts,
  directoryKeysReads,
  entriesOf,
  gatewayParts,
  lastUse,
  liveParts,
  rateBuckets,
  secretReaderReads,
  signInParts,
  signInReads,
  sourceRates,
} from './partitions.ts'
import { publicSealKey, putsFlows, serviceSecret } from './rights-on-storage.ts'
import { changing, checks, reads, rightsOnTable, writes } from './table-rights.ts'

/** Of what answers requests and holds the live channel. */
export function answeringRights(storage: Storage) {
  const onTable = rightsOnTable(storage)
  const requestLog = onTable(['dynamodb:PartiQLInsert'], entriesOf('api_request'))
  const secret = serviceSecret(storage)
  const endsAuthorizations = onTable(['dynamodb:DeleteItem'], authorizationParts)
  // A read adds the entry of its request, the last use of its token and what it takes of the rate limit; no row.
  const noted = [requestLog, onTable(['dynamodb:UpdateItem'], [...lastUse, rateBuckets])]
  return {
    reader: [onTable(reads), ...noted, secret, publicSealKey(storage)],
    secretReader: [onTable(reads, secretReaderReads), ...noted, secret],
    writer: [...changing(onTable), requestLog, secret],
    client: [onTable([...reads, ...checks]), onTable(writes, clientParts), secret],
    gateway: [onTable([...reads, ...checks]), onTable(writes, gatewayParts), endsAuthorizations, secret],
    live: [onTable([...reads, ...checks]), onTable(writes, liveParts), endsAuthorizations, secret],
    ingest: [
      onTable(['dynamodb:GetItem'], [entityKey(anyAccount, accounts.name, '').pk, rateBuckets]),
      onTable(['dynamodb:UpdateItem'], [rateBuckets]),
      putsFlows(storage),
      secret,
    ],
    // Serves anonymous callers. A sign-in also ends what a former subject of its identity was given.
    signIn: [onTable([...reads, ...checks], signInReads), onTable(writes, signInParts), endsAuthorizations, secret],
    // Anybody may ask for a public key, which is made of the private one.
    directoryKeys: [onTable(reads, directoryKeysReads), onTable(['dynamodb:UpdateItem'], [sourceRates]), secret],
    public: [],
    publicKey: [publicSealKey(storage)],
  } satisfies Partial<Record<Duty, PolicyStatement[]>>
}
