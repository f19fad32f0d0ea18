import { Link } from 'wouter'
import type { Operations } from '../../client/coming.ts'
import { useRead } from '../../client/queries.ts'
import { references } from '../../collection/references.ts'
import { Filled } from '../../parts/filled.tsx'
import { ShownText } from '../../parts/shown-text.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { texts } from '../../texts/texts.ts'

type Entry = Extract<Operations['GET /logs']['answer']['data'][number], { type: 'change' }>

/** Names an object as its entry shows it, with a link while it exists and has a screen. */
function ChangedObject({ entry: { object, operation, before, after } }: { entry: Entry }) {
  const row = after ?? before ?? {}
  const { address } = references[object as keyof typeof references] ?? {}
  const id = address ? `${String(row.id).slice(0, 8)}…` : ''
  const name = <ShownText text={String(row.name ?? row.description ?? row.email ?? id)} />
  return address && operation !== 'delete' ? (
    <Link href={`${address}/${row.id}`} className="reference">
      {name}
    </Link>
  ) : (
    name
  )
}

/** The ten last changes of the account. */
export function RecentChanges() {
  const read = useRead('GET /logs', { path: {}, query: { type: 'change', limit: 10, total_limit: 0 } })
  const entries = (read.data?.answer.data ?? []) as Entry[]
  return (
    <section>
      <h2>{texts.overview.changes}</h2>
      {read.isLoading && <Loading rows={5} />}
      {read.error && <Failed problem={read.error} onRetry={() => void read.refetch()} />}
      {read.data && entries.length === 0 && <p className="minor">{texts.none('changes')}</p>}
      <ul className="box-list recent">
        {entries.map((entry) => (
          <li key={entry.log_id}>
            <span>
              <Filled
                text={texts.overview.change[entry.operation]}
                values={{
                  author: (
                    <ShownText
                      text={entry.subject?.actor_name ?? entry.subject?.actor_email ?? texts.overview.service}
                    />
                  ),
                  object: texts.logs.object(entry.object, 1),
                  name: <ChangedObject entry={entry} />,
                }}
              />
            </span>
            <span className="minor">
              <Time value={entry.timestamp} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
