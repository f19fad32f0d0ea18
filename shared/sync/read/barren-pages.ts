import { ProviderFault } from '../provider-fault.ts'

/**
 * Maximum of pages in a row that bring nothing new. Providers filter after paging, so some pages are empty. Tests make
 * it smaller.
 */
export const pageBounds = { barren: 1_000 }

/**
 * Counts pages in a row that bring nothing new.
 * @throws ProviderFault fatal for a list that never ends
 */
export function countBarren(list: string, before: number, isBarren: boolean | undefined): number {
  const count = isBarren ? before + 1 : 0
  if (count < pageBounds.barren) return count
  const pages = pageBounds.barren.toLocaleString('en')
  throw new ProviderFault(
    'fatal',
    `Invalid data: ${pages} pages in a row of the list of ${list} brought nothing new, and the list does not end.`,
  )
}

type Paged = { next: string | null; barren?: boolean }

/** Reads the pages of a list that is needed whole. @throws ProviderFault fatal for a list that never ends */
export async function* wholeList<P extends Paged>(
  list: string,
  read: (position: string | null) => Promise<P>,
): AsyncGenerator<P> {
  let barren = 0
  for (let position: string | null = null; ; ) {
    const page: P = await read(position)
    yield page
    if (page.next === null) return
    barren = countBarren(list, barren, page.barren)
    position = page.next
  }
}
