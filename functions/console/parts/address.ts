import { useSearchParams } from 'wouter'

export type AddressChanges = Record<string, string | null>

/** Query of the address, and a function that changes it, by default in place. An empty value removes its name. */
export function useAddress() {
  const [search, setSearch] = useSearchParams()
  const change = (changes: AddressChanges, options = { replace: true }) =>
    setSearch((current) => {
      const next = new URLSearchParams(current)
      for (const [name, value] of Object.entries(changes)) value ? next.set(name, value) : next.delete(name)
      return next
    }, options)
  return [search, change] as const
}
