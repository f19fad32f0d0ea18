import { hash } from 'node:crypto'
import { table, tableName } from '../../table/client.ts'
import { PutCommand } from '../../table/commands.ts'
import { getItem, type StoredItem } from '../../table/read.ts'
import { ConditionalCheckFailedException } from '../../table/refused-write.ts'
import { foldAscii } from '../../values/fold-ascii.ts'

const most = 5
const windowMicros = 15 * 60_000_000

/** The partitions of when passcodes were mailed to an address, in the whole service: by its hash, for a quarter of an hour. */
const passcodeMailsPartition = (email: string): string =>
  `service#mails.passcode#${hash('sha256', foldAscii(email), 'base64url')}`

type Sent = StoredItem & { sent: number[] }

/**
 * Takes one of the five mails that an address gets in 15 minutes (I2.5); false when they are spent. Of two who ask at once
 * for the last, one gets it.
 */
export async function takeMail(email: string, now: number): Promise<boolean> {
  const key = { pk: passcodeMailsPartition(email), sk: 'sent' }
  for (let tries = 0; tries < 10; tries++) {
    const item = await getItem<Sent>(key)
    const recent = (item?.sent ?? []).filter((at) => at > now - windowMicros)
    if (recent.length >= most) return false
    try {
      await table().send(
        new PutCommand({
          TableName: tableName(),
          Item: { ...key, kind: 'mail', sent: [...recent, now], ttl: Math.ceil((now + windowMicros) / 1_000_000) },
          ...(item
            ? {
                ConditionExpression: '#sent = :known',
                ExpressionAttributeNames: { '#sent': 'sent' },
                ExpressionAttributeValues: { ':known': item.sent },
              }
            : { ConditionExpression: 'attribute_not_exists(pk)' }),
        }),
      )
      return true
    } catch (error) {
      if (!(error instanceof ConditionalCheckFailedException)) throw error
    }
  }
  return false
}
