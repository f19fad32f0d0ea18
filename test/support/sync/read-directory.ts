import { afterAll, beforeAll, vi } from 'vitest'
import type { DirectoryAdapter, DirectoryMember, GroupRef, ProviderPage, Skipped } from '#shared/sync/adapter.ts'
import { ProviderFault } from '#shared/sync/adapter.ts'

/** Allows requests to local fakes in all tests of a file. */
export function callsFakes(): void {
  beforeAll(() => {
    vi.stubEnv('ALLOW_INSECURE_PROVIDERS', '1')
  })
  afterAll(() => {
    vi.unstubAllEnvs()
  })
}

export type Walked<T> = { entries: T[]; skipped: Skipped[]; pages: number }

export async function walk<T>(read: (position: string | null) => Promise<ProviderPage<T>>): Promise<Walked<T>> {
  const found: Walked<T> = { entries: [], skipped: [], pages: 0 }
  let position: string | null = null
  do {
    const page: ProviderPage<T> = await read(position)
    found.entries.push(...page.entries)
    found.skipped.push(...page.skipped)
    found.pages++
    position = page.next
  } while (position !== null)
  return found
}

export const walkUsers = (adapter: DirectoryAdapter) => walk((position) => adapter.users(position))
export const walkGroups = (adapter: DirectoryAdapter) => walk((position) => adapter.groups(position))
export const walkMembers = (adapter: DirectoryAdapter, group: GroupRef): Promise<Walked<DirectoryMember>> =>
  walk((position) => adapter.members(group, position))

/** Person 17 in every fake provider's company, as returned by an adapter. */
export const person17 = {
  email: 'ben.brook.17@example.com',
  name: 'Ben Brook',
  given_name: 'Ben',
  middle_name: null,
  family_name: 'Brook',
  nickname: null,
  preferred_username: 'ben.brook.17@example.com',
  picture: null,
  profile: null,
  svc_avatar_url: null,
  active: true,
}

export const groupOf = (idp_id: string, stated_members: number | null = null): GroupRef => ({
  idp_id,
  entity_type: 'group',
  stated_members,
})

/**
 * Returns the fault that a call throws.
 * @throws Error if the call succeeds or fails with another error
 */
export async function faultOf(call: Promise<unknown>): Promise<ProviderFault> {
  const end = await call.then(
    () => new Error('There was no fault.'),
    (error: unknown) => error,
  )
  if (end instanceof ProviderFault) return end
  throw end
}
