import { Link } from 'wouter'
import { useRead } from '../../client/queries.ts'
import { useNames } from '../../collection/references.ts'
import { useAddress } from '../../parts/address.ts'
import { Icon } from '../../parts/icons.tsx'
import { ShownText } from '../../parts/shown-text.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { labelOf, texts } from '../../texts/texts.ts'
import type { AccessRow } from './graph.ts'

const useReachable = (id: string) =>
  useRead('GET /access/actors/{id}/resources', { path: { id }, query: { limit: 1000 } })

/** Resources that two actors reach, side by side, with the groups through which they do. */
export function Comparison({ actors }: { actors: [string, string] }) {
  const [search, change] = useAddress()
  const reads = [useReachable(actors[0]), useReachable(actors[1])]
  const isDifferent = search.get('different') === 'true'
  const lists = reads.map(({ data }) => (data?.answer.data ?? []) as AccessRow[])
  const all = new Map(lists.flat().map((row) => [row.id, row]))
  const rows = [...all.values()]
    .map((row) => ({ ...row, sides: lists.map((list) => list.find(({ id }) => id === row.id)) }))
    .filter(({ sides }) => !isDifferent || Boolean(sides[0]) !== Boolean(sides[1]))
    .sort((a, b) => a.name.localeCompare(b.name, texts.locale))
  const groups = rows.flatMap(({ sides }) =>
    sides.flatMap((side) => side?.policies.flatMap(({ group_id }) => group_id ?? []) ?? []),
  )
  const names = useNames({ actors, groups })
  const failed = reads.find(({ error }) => error)
  if (failed?.error) return <Failed problem={failed.error} onRetry={() => void failed.refetch()} />
  if (reads.some(({ isLoading }) => isLoading)) return <Loading rows={6} />
  const isCut = reads.some(({ data }) => data?.answer.metadata.next_page)
  return (
    <>
      {isCut && <p className="remark">{texts.explorer.firstThousand}</p>}
      <label className="only-different">
        <input
          type="checkbox"
          checked={isDifferent}
          onChange={({ target }) => change({ different: target.checked ? 'true' : null })}
        />
        {texts.explorer.onlyDifferent}
      </label>
      <div className="table-frame">
        <table className="rows" aria-label={texts.explorer.comparison}>
          <thead>
            <tr>
              <th scope="col">{labelOf('resource')}</th>
              {actors.map((id) => (
                <th scope="col" key={id}>
                  <ShownText text={names('actors', id) ?? id} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ id, name, sides }) => (
              <tr key={id}>
                <td>
                  <Link href={`/access?actor=${actors[0]}&with=${actors[1]}&resource=${id}`} className="row-link">
                    <ShownText text={name} />
                  </Link>
                </td>
                {sides.map((side, index) => (
                  <td key={actors[index]} data-label={names('actors', actors[index] ?? '')}>
                    <span className={side ? 'reach met' : 'reach unmet'}>
                      <Icon name={side ? 'check' : 'close'} />
                      <span>
                        {side ? texts.yes : texts.no}
                        {side && (
                          <span className="minor">
                            {' '}
                            {texts.joined(side.policies.map(({ group_id }) => names('groups', group_id ?? '') ?? ''))}
                          </span>
                        )}
                      </span>
                    </span>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length === 0 && <p className="minor">{texts.explorer.noDifference}</p>}
    </>
  )
}
