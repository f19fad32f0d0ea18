import { emptyProfile } from '#shared/sign-in/identities/profile-fields.ts'
import type { DirectoryAdapter, DirectoryMember, DirectoryUser, ProviderPage, Skipped } from '#shared/sync/adapter.ts'
import { ProviderFault } from '#shared/sync/adapter.ts'

export type ScriptedUser = {
  id: string
  email: string | null
  name?: string
  active?: boolean
  fields?: Partial<DirectoryUser>
}
export type ScriptedGroup = {
  id: string
  name?: string
  email?: string | null
  type?: 'group' | 'org_unit'
  version?: string | null
  members?: (string | { group: string } | { everyone: true } | { profile: ScriptedUser })[]
  gone?: boolean
  unread?: string[]
}

/** Hook before each response. Throws a fault to simulate a failure of the provider. */
type Before = (call: string, position: string | null) => void | Promise<void>

const userOf = ({ id, email, name = `Name of ${id}`, active = true, fields }: ScriptedUser): DirectoryUser =>
  ({ ...emptyProfile, idp_id: id, name, active, email, ...fields }) as DirectoryUser

/** A paginated directory in memory. Tests set its people, groups and faults. */
export class ScriptedDirectory {
  users: ScriptedUser[] = []
  groups: ScriptedGroup[] = []
  skippedUsers: Skipped[] = []
  skippedGroups: Skipped[] = []
  /** Ids that `confirm` returns even if they are missing from the user list. */
  confirmed: string[] = []
  issuer = 'https://login.example.com'
  perPage: number
  before: Before = () => {}
  readonly calls: string[] = []

  constructor(perPage = 2) {
    this.perPage = perPage
  }

  private async page<T>(
    call: string,
    all: T[],
    position: string | null,
    skipped: Skipped[] = [],
  ): Promise<ProviderPage<T>> {
    this.calls.push(call)
    await this.before(call, position)
    const at = Number(position ?? 0)
    const next = at + this.perPage
    const isLast = next >= all.length
    return { entries: all.slice(at, next), skipped: isLast ? skipped : [], next: isLast ? null : String(next) }
  }

  get adapter(): DirectoryAdapter {
    return {
      issuer: this.issuer,
      users: (position) => this.page('users', this.users.map(userOf), position, this.skippedUsers),
      groups: (position) =>
        this.page(
          'groups',
          this.groups.map(({ id, name = `Group ${id}`, email = null, type = 'group', version = null }) => ({
            idp_id: id,
            name,
            email,
            entity_type: type,
            membership_version: version,
            stated_members: null,
          })),
          position,
          this.skippedGroups,
        ),
      members: async ({ idp_id }, position) => {
        const { members = [], unread = [], gone } = this.groups.find(({ id }) => id === idp_id) ?? {}
        if (gone) throw new ProviderFault('object_gone', `The group ${idp_id} is gone.`)
        const entries = members.map((member): DirectoryMember => {
          if (typeof member === 'string') return { user: member }
          if ('profile' in member) return { user: member.profile.id, profile: userOf(member.profile) }
          return member
        })
        const skipped = unread.map((id): Skipped => ({ idp_id: id, name: null, reason: 'gone' }))
        return this.page(`members ${idp_id}`, entries, position, skipped)
      },
      confirm: async (ids) => {
        this.calls.push(`confirm ${ids.length}`)
        await this.before('confirm', null)
        return ids.filter((id) => this.confirmed.includes(id))
      },
    }
  }
}
