import { createHash } from 'node:crypto'
import type { Transaction } from '../../commit/transaction.ts'
import { generateClientName } from '../../domain/clients/generated-name.ts'
import { deviceNameValue } from './device.ts'

const maxLength = 15

/** At most 15 characters: of a longer name the first 11 and four digits of its hash (`/v0` contract, 10.5). */
export function shortened(name: string): string {
  if (name.length <= maxLength) return name
  const hash = createHash('sha256').update(name).digest('hex').toUpperCase()
  return name.slice(0, maxLength - 4) + hash.slice(0, 4)
}

/** A generated name that no other device of the user has. */
export async function freeDeviceName(
  transaction: Pick<Transaction, 'isTaken'>,
  userId: string,
  generate: () => string = generateClientName,
): Promise<string> {
  for (;;) {
    const name = shortened(generate())
    if (!(await transaction.isTaken('v0_devices.name', deviceNameValue(userId, name)))) return name
  }
}
