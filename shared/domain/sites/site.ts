import * as v from 'valibot'
import { entity, type Row } from '../../table/entity.ts'
import { RawText } from '../../values/fields.ts'
import type { Page } from '../../values/page.ts'
import { getRendered, listRendered } from '../reads.ts'

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
  indexes: { name: { value: (row) => row.name, counted: true } },
  counters: (row) => (row.managed_by === 'account' ? ['sites.account'] : []),
})

/** Site in API responses (A20). */
export const Site = v.object({ id: v.string(), name: v.string() })

/** Fields of a site that a request can set. The name is not trimmed (A20.2). */
export const SiteFields = v.object({ name: RawText(64) })

export const list = (account: string, page: Page) => listRendered(sites, account, page)

export const get = (account: string, id: string) => getRendered(sites, account, id)
