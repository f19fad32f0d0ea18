import { indexedObject, indexText, nameIndexPartitions, searchedObjects } from '#shared/domain/names/name-index.ts'
import { partition } from '#shared/table/keys.ts'
import { queryItems } from '#shared/table/read.ts'

/** Reads the texts of an account's index of names, by object and id. */
export async function storedNames(account: string): Promise<Record<string, string>> {
  const items = await Promise.all(nameIndexPartitions(account).map((pk) => queryItems(pk)))
  const names = items.flat().filter(({ kind }) => kind === 'name')
  return Object.fromEntries(
    names.map(({ sk, text }) => {
      const { object, id } = indexedObject(sk)
      return [`${object} ${id}`, String(text)]
    }),
  )
}

/** Derives the texts of the index from the rows of the account. */
export async function expectedNames(account: string): Promise<Record<string, string>> {
  const lists = await Promise.all(
    searchedObjects.map(async (object) =>
      (await queryItems(partition(account, object))).map(
        (row) => [`${object} ${row.id}`, indexText(object, row)] as const,
      ),
    ),
  )
  return Object.fromEntries(lists.flat())
}
