import { useQueries } from '@tanstack/react-query'
import { Link } from 'wouter'
import { send } from '../../client/request.ts'
import type { ReferenceName } from '../../collection/collection.ts'
import { references } from '../../collection/references.ts'
import { Icon, type IconName } from '../../parts/icons.tsx'
import { usePageTitle } from '../../parts/page-title.ts'
import { hasScope, useSession } from '../../session/session.ts'
import { texts } from '../../texts/texts.ts'

const counted = ['resources', 'policies', 'groups', 'actors', 'sites', 'clients'] as const satisfies ReferenceName[]

/** Number of objects in each collection. Problems, flows and changes follow with their operations (K6). */
export function OverviewScreen() {
  const session = useSession()
  const shown = counted.filter((name) => hasScope(session, name, 'read'))
  const reads = useQueries({
    queries: shown.map((name) => ({
      queryKey: [references[name].list, {}, { limit: 1 }],
      queryFn: () => send(references[name].list as 'GET /sites', { path: {}, query: { limit: 1 } }),
    })),
  })
  usePageTitle(texts.overview.title)
  return (
    <>
      <header className="page-header">
        <h1>{texts.overview.title}</h1>
      </header>
      <ul className="tiles">
        {shown.map((name, index) => {
          const total = reads[index]?.data?.answer.metadata.total
          return (
            <li key={name}>
              <Link href={references[name].address} className="tile">
                <span className="tile-label">
                  <Icon name={name satisfies IconName} />
                  {texts.many(name)}
                </span>
                <span className="tile-number">{total === undefined ? texts.states.none : texts.number(total)}</span>
                <span className="minor">{texts.purpose[name]}</span>
              </Link>
            </li>
          )
        })}
      </ul>
    </>
  )
}
