import { useEffect, useState } from 'react'
import type { Problem } from '../client/problem.ts'
import { type AddressChanges, useAddress } from '../parts/address.ts'
import type { Filter } from './collection.ts'

/** State of a list, which its address contains: filters, the text to find, the order and the page. */
export function useListAddress(filters: Filter[]) {
  const [search, change] = useAddress()
  const sort = search.get('sort')
  return {
    cursor: search.get('page_cursor'),
    part: Number(search.get('part') ?? 1),
    find: search.get('find') ?? '',
    sorting: sort ? { field: sort.replace(/^-/, ''), isDescending: sort.startsWith('-') } : undefined,
    chosen: Object.fromEntries(filters.flatMap(({ name }) => (search.get(name) ? [[name, search.get(name)]] : []))),
    change,
    filter: (changes: AddressChanges) => change({ ...changes, page_cursor: null, part: null }),
    turn: (changes: AddressChanges) => change(changes, { replace: false }),
  }
}

/** Opens the first page if the service rejects the cursor in the address. Returns true from then on. */
export function useRejectedCursor(error: Problem | null, change: (changes: AddressChanges) => void): boolean {
  const [isRejected, setRejected] = useState(false)
  const isInvalid = error?.code === 'invalid_page_cursor'
  useEffect(() => {
    if (!isInvalid) return
    setRejected(true)
    change({ page_cursor: null })
  })
  return isRejected
}
