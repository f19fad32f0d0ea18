import { emptyProfile } from '#shared/sign-in/identities/profile-fields.ts'
import type {
  DeviceValue,
  DirectoryAdapter,
  DirectoryGroup,
  DirectoryMember,
  DirectoryUser,
  InventoryAdapter,
  ProviderPage,
} from '#shared/sync/adapter.ts'
import { ProviderFault } from '#shared/sync/adapter.ts'

export const memoryUser = (idp_id: string, fields: Partial<DirectoryUser> = {}): DirectoryUser =>
  ({
    ...emptyProfile,
    idp_id,
    email: `${idp_id}@example.com`,
    name: `Person ${idp_id}`,
    active: true,
    ...fields,
  }) as DirectoryUser

export const memoryGroup = (idp_id: string, fields: Partial<DirectoryGroup> = {}): DirectoryGroup => ({
  idp_id,
  name: `Group ${idp_id}`,
  email: null,
  entity_type: 'group',
  membership_version: null,
  stated_members: null,
  ...fields,
})

/** A directory in memory, which tests can change between calls. A group without an entry in `members` is reported as deleted. */
export type MemoryDirectory = {
  issuer: string
  users: DirectoryUser[]
  groups: DirectoryGroup[]
  members: Map<string, DirectoryMember[]>
  /** Ids that `confirm` returns in addition to the active users, as if the user list were incomplete. */
  hidden: string[]
  /** Runs before each call. A thrown error makes the call fail. */
  before: (call: string) => void | Promise<void>
}

function pageOf<T>(list: readonly T[], position: string | null, size: number): ProviderPage<T> {
  const start = Number(position ?? 0)
  const end = start + size
  return { entries: list.slice(start, end), skipped: [], next: end < list.length ? String(end) : null }
}

export const memoryDirectory = (model: Partial<MemoryDirectory> = {}): MemoryDirectory => ({
  issuer: 'https://idp.example.com',
  users: [],
  groups: [],
  members: new Map(),
  hidden: [],
  before: () => {},
  ...model,
})

export function memoryAdapter(directory: MemoryDirectory, pageSize = 100): DirectoryAdapter {
  return {
    issuer: directory.issuer,
    async users(position) {
      await directory.before('users')
      return pageOf(directory.users, position, pageSize)
    },
    async groups(position) {
      await directory.before('groups')
      return pageOf(directory.groups, position, pageSize)
    },
    async members({ idp_id }, position) {
      await directory.before(`members ${idp_id}`)
      const members = directory.members.get(idp_id)
      if (!members) throw new ProviderFault('object_gone', `The group ${idp_id} is gone.`)
      return pageOf(members, position, pageSize)
    },
    async confirm(idpIds) {
      await directory.before('confirm')
      const active = directory.users.filter((user) => user.active).map((user) => user.idp_id)
      const knownIds = new Set([...active, ...directory.hidden])
      return idpIds.filter((id) => knownIds.has(id))
    },
  }
}

/** An inventory in memory. Its first list contains all devices, and additional lists add fields. */
export type MemoryInventory = {
  lists: Record<string, Map<string, Record<string, DeviceValue>>>
  before: (call: string) => void | Promise<void>
}

export function memoryInventoryAdapter(inventory: MemoryInventory, pageSize = 100): InventoryAdapter {
  const [first = 'devices', ...rest] = Object.keys(inventory.lists)
  return {
    lists: [first, ...rest],
    async read(list, position) {
      await inventory.before(list)
      const entries = [...(inventory.lists[list] ?? [])].map(([mdm_id, fields]) => ({ mdm_id, fields }))
      return pageOf(entries, position, pageSize)
    },
  }
}
