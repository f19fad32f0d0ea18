import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { marshall } from '@aws-sdk/util-dynamodb'
import type { Item } from '#shared/table/keys.ts'
import { tableName } from '#shared/table/table.ts'

/** Rows per transaction on the database file. Other processes can write between two transactions. */
const chunk = 500

/** Returns the size of a value in bytes by DynamoDB's rules for item sizes. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value === 'number') return Math.ceil(String(value).length / 2) + 1
  if (value instanceof Uint8Array) return value.length
  if (value instanceof Set) return [...value].reduce((sum: number, one) => sum + sizeOf(one), 3)
  if (typeof value !== 'object' || value === null) return 1
  return Object.entries(value).reduce((sum, [name, one]) => sum + 1 + Buffer.byteLength(name) + sizeOf(one), 3)
}

/** Returns the size of an item in bytes, as DynamoDB bills it. */
export const itemSize = (item: Item): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + sizeOf(value), 0)

/** JSON replacer that encodes binary attributes as base64. */
const asJson = (_key: string, value: unknown) =>
  typeof value === 'object' && value !== null && 'B' in value
    ? { B: Buffer.from(value.B as Uint8Array).toString('base64') }
    : value

/** Writes items directly into the local engine's database file, because the API is too slow for large amounts. */
export function plantIntoFile(items: Iterable<Item>): void {
  const file = process.env.DYNAMODB_FILE
  if (!file) throw new Error('DYNAMODB_FILE is missing: items are written into the file of the local engine.')
  const db = new DatabaseSync(file, { timeout: 20_000 })
  try {
    db.exec('PRAGMA synchronous = OFF')
    const insert = db.prepare(
      `INSERT OR REPLACE INTO "${tableName()}" (pk, sk, item_json, item_size, hash_prefix) VALUES (?, ?, ?, ?, ?)`,
    )
    let open = 0
    for (const item of items) {
      if (open === 0) db.exec('BEGIN IMMEDIATE')
      const prefix = createHash('md5').update(item.pk).digest('hex').slice(0, 6)
      const json = JSON.stringify(marshall(item, { removeUndefinedValues: true }), asJson)
      insert.run(`S:${item.pk}`, `S:${item.sk}`, json, itemSize(item), prefix)
      open++
      if (open < chunk) continue
      db.exec('COMMIT')
      open = 0
    }
    if (open > 0) db.exec('COMMIT')
  } finally {
    db.close()
  }
}
