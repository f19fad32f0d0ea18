import { entity, type Row } from '../table/entity.ts'

/** A user of the legacy API (`/v0` contract, 9.1); no actor, and no credential of any API. */
export type V0UserRow = Row & {
  role: 'admin' | 'unprivileged'
  email: string
  password_hash: string | null
  last_signed_in_at: string | null
  last_signed_in_method: string | null
  disabled_at: string | null
}

export const v0Users = entity<V0UserRow>({
  name: 'v0_users',
  unique: { 'v0_users.email': (row) => row.email.toLowerCase() },
  tallies: (row) => (row.role === 'admin' ? ['v0_users.admin'] : []),
})
