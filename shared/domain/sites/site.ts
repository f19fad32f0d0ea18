import * as v from 'valibot'
import { entity, type Row } from '../../table/entity.ts'
import { Text } from '../../values/fields.ts'

export type SiteRow = Row & {
  name: string
  /** `system` for the Internet Site, which the service manages. */
  managed_by: 'account' | 'system'
}

export const sites = entity<SiteRow>({
  name: 'sites',
  unique: {
    'sites.name': (row) => (row.managed_by === 'account' ? row.name : null),
    'sites.system': (row) => (row.managed_by === 'system' ? 'internet' : null),
  },
  edges: { name: { value: (row) => row.name, counted: true } },
  counters: (row) => (row.managed_by === 'account' ? ['sites.account'] : []),
})

/** A site as the API shows it (A20). */
export const Site = v.object({ id: v.string(), name: v.string() })

/** The fields that a request can set; the name is not trimmed (A20.2). */
export const SiteFields = v.object({ name: Text(64, { trim: false }) })
