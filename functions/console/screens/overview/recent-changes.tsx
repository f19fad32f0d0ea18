import { useRead } from '../../client/queries.ts'
import { ChangeList } from '../../logs/change-list.tsx'
import type { Change } from '../../logs/entries.ts'
import { Failed, Loading } from '../../parts/states.tsx'
import { texts } from '../../texts/texts.ts'

/** The ten last changes of the account. */
export function RecentChanges() {
  const read = useRead('GET /logs', { path: {}, query: { type: 'change', limit: 10, total_limit: 0 } })
  if (read.isLoading) return <Loading rows={6} />
  if (!read.data) return read.error && <Failed problem={read.error} onRetry={() => void read.refetch()} />
  const { data } = read.data.answer
  return data.length > 0 ? <ChangeList changes={data as Change[]} /> : <p className="minor">{texts.none('changes')}</p>
}
