import type { DirectoryAdapter, ProviderPage } from '#shared/sync/adapter.ts'
import { memoryGroup, memoryUser } from '#test/support/sync/memory-directory.ts'

export type CompanySize = { users: number; groups: number; memberships: number }

const pageSize = 500
/** Distance between the groups that a person belongs to, so that groups share few members. */
const stride = 37

function pageOf<T>(count: number, position: string | null, entryAt: (i: number) => T): ProviderPage<T> {
  const start = Number(position ?? 0)
  const end = Math.min(count, start + pageSize)
  const entries = Array.from({ length: end - start }, (_, i) => entryAt(start + i))
  return { entries, skipped: [], next: end < count ? String(end) : null }
}

/**
 * Opens a generated directory of this size, in which everyone has the same number of groups. Generates pages on request, so that the
 * measured memory belongs to the run.
 * @param changes number of times that every hundredth person has changed
 */
export function companyAdapter({ users, groups, memberships }: CompanySize, changes: number): DirectoryAdapter {
  const each = Math.min(groups, Math.round(memberships / users))
  const membersOf = (group: number): number[] =>
    Array.from({ length: each }, (_, i) => (((group - stride * i) % groups) + groups) % groups).flatMap((first) =>
      Array.from({ length: Math.ceil((users - first) / groups) }, (_, i) => first + i * groups),
    )
  const userAt = (i: number) =>
    memoryUser(`user-${i}`, { nickname: i % 100 === 0 && changes > 0 ? `changed ${changes}` : null })
  return {
    issuer: 'https://idp.example.com',
    users: async (position) => pageOf(users, position, userAt),
    groups: async (position) => pageOf(groups, position, (i) => memoryGroup(`group-${i}`)),
    async members({ idp_id }, position) {
      const members = membersOf(Number(idp_id.slice('group-'.length)))
      return pageOf(members.length, position, (i) => ({ user: `user-${members[i]}` }))
    },
    confirm: async (idpIds) => idpIds,
  }
}
