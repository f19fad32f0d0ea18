import type { Item } from '../table/keys.ts'
import { whichExist } from '../table/read.ts'

/** Those of some pointers that are not in the table. */
export async function missingPointers(pointers: Item[]): Promise<Item[]> {
  const exist = await whichExist(pointers)
  return pointers.filter((_, i) => !exist[i])
}
