import * as v from 'valibot'
import { clock } from '../core/clock.ts'
import { ApiError } from '../core/errors.ts'
import { type RefusalRow, refusalReasons, refusalsPartition } from '../logs/refusals/refusals.ts'
import { queryItems } from '../table/read.ts'
import { enumFilter, timestampFilter, uuidFilter } from '../values/filters.ts'
import type { Page } from '../values/page.ts'
import { accessPage } from './access-list.ts'

export const refusalFilters = {
  begin: timestampFilter,
  end: timestampFilter,
  actor_id: uuidFilter,
  client_id: uuidFilter,
  resource_id: uuidFilter,
  reason: enumFilter(refusalReasons),
}

/** Refusals of one client, resource and reason in one hour (K11.G9). */
export const RefusedAuthorization = v.object({
  hour: v.string(),
  actor_id: v.string(),
  client_id: v.string(),
  resource_id: v.nullable(v.string()),
  reason: v.picklist(refusalReasons),
  violated: v.array(v.string()),
  count: v.pipe(v.number(), v.integer()),
  first_at: v.string(),
  last_at: v.string(),
  ip: v.string(),
  ip_region: v.nullable(v.string()),
})

/** Maximum rows that a page reads. They have at most 700 bytes each, so they take at most 350 of the 400 read units of a page. */
const maxRead = 2_000

const hourOf = (sort: string): string => `${sort.slice(0, 13)}:00:00.000000Z`

/** Lists refused authorizations, newest hour first. @throws ApiError `invalid_filter` if `begin` is after `end` */
export async function listRefusals(account: string, page: Page) {
  const { begin = '', end = '~', ...equal } = page.filters
  if (begin > end) throw new ApiError('invalid_filter', 'begin must not be after end.')
  const between = [begin.slice(0, 13), `${end.slice(0, 13)}~`] as const
  const now = clock.now()
  const isListed = (row: RefusalRow): boolean =>
    row.ttl * 1_000_000 > now &&
    row.last_at >= begin &&
    row.first_at <= end &&
    Object.entries(equal).every(([name, value]) => row[name as keyof RefusalRow] === value)
  const found = new Map<string, RefusalRow>()
  const { data, metadata, stop } = await accessPage(page, {
    maxRead,
    async read({ after, backward, limit }) {
      const range = { between, start: after, backward: !backward, limit }
      const rows = await queryItems<RefusalRow>(refusalsPartition(account), range)
      for (const row of rows) found.set(row.sk, row)
      return rows.map(({ sk }) => sk)
    },
    async accept(ids) {
      return ids.flatMap((id) => {
        const row = found.get(id)
        return row && isListed(row) ? [{ id, row: { ...row, hour: hourOf(id) } }] : []
      })
    },
  })
  return { data, metadata: { ...metadata, read_until: stop ? hourOf(stop) : null } }
}
