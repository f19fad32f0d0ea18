import type { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { flowSlicesPartition, openFlowsPartition } from '#shared/logs/flows/flow-index.ts'
import { logPartition } from '#shared/logs/log-keys.ts'
import { sealedAccountsPartition } from '#shared/seal/log/sealed-accounts.ts'
import { partition } from '#shared/table/keys.ts'
import type { Storage } from '../storage/storage.ts'
import type { Duty } from './duties.ts'
import { anyAccount, entriesOf, passcodeParts, passcodeReads } from './partitions.ts'
import { changing, rightsOnTable } from './table-rights.ts'

/** Of what is handed work: by a stream, or by a sign-in that asks for a passcode. */
export function consumerRights(storage: Storage) {
  const onTable = rightsOnTable(storage)
  return {
    writeChangeLog: [onTable(['dynamodb:PartiQLInsert'], [...entriesOf('change'), sealedAccountsPartition])],
    // It deletes what lies below a deleted object, whatever that is.
    followUp: changing(onTable),
    storeFlowLogs: [
      onTable(
        ['dynamodb:PutItem', 'dynamodb:UpdateItem'],
        [logPartition(anyAccount, 'flow', '*'), partition(anyAccount, 'log.flow.*')],
      ),
      onTable(['dynamodb:PartiQLInsert', 'dynamodb:PartiQLUpdate'], [logPartition(anyAccount, 'flow', '*')]),
      // Open flows are gathered after a while; what pointed to them is deleted when they close.
      onTable(['dynamodb:Query'], [logPartition(anyAccount, 'flow', '*'), flowSlicesPartition(anyAccount)]),
      onTable(['dynamodb:DeleteItem'], [openFlowsPartition(anyAccount), flowSlicesPartition(anyAccount)]),
    ],
    // It looks at whom an address belongs to, keeps the passcode, and sends it.
    mailPasscode: [
      onTable(['dynamodb:GetItem', 'dynamodb:Query'], passcodeReads),
      onTable(['dynamodb:PutItem'], passcodeParts),
    ],
  } satisfies Partial<Record<Duty, PolicyStatement[]>>
}
