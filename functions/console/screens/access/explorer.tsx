import { useRef } from 'react'
import { regionCodes } from '#shared/values/regions.ts'
import { useRead } from '../../client/queries.ts'
import { ChoiceBox } from '../../collection/choice-box.tsx'
import { FilterControl } from '../../collection/list-screen.tsx'
import { useNamesState, useObject, useProviderNames } from '../../collection/references.ts'
import { TimeFilter } from '../../logs/log-filters.tsx'
import { useAddress } from '../../parts/address.ts'
import { shortId } from '../../parts/characters.ts'
import { ActionButton } from '../../parts/controls.tsx'
import { usePageTitle } from '../../parts/page.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { hasScope, useSession } from '../../session/session.ts'
import { labelOf, texts } from '../../texts/texts.ts'
import { Comparison } from './comparison.tsx'
import { Decision, type Question } from './decision.tsx'
import { type AccessRow, graphOf, type NameOf, type Node } from './graph.ts'
import { GraphView } from './graph-view.tsx'

/** Maximum number of rows of an access list that the explorer loads. */
const maxRows = 1000

const regions = [...regionCodes]
  .map((code) => [code, texts.region(code)] as const)
  .sort((a, b) => (a[1] < b[1] ? -1 : 1))

type AccessListProps = { layer: 'actors' | 'resources'; id: string; providers: Map<string, string> }

/** Columns of what an actor reaches, or of who reaches a resource. */
function AccessGraph({ layer, id, providers }: AccessListProps) {
  const route = layer === 'actors' ? 'GET /access/actors/{id}/resources' : 'GET /access/resources/{id}/actors'
  const subject = useObject(layer, id)
  const read = useRead(route as 'GET /access/actors/{id}/resources', { path: { id }, query: { limit: maxRows } })
  const rows = (read.data?.answer.data ?? []) as AccessRow[]
  const chosen = subject.row as (AccessRow & { email?: string | null }) | undefined
  const { names, isLoading } = useNamesState({
    groups: rows.flatMap(({ policies }) => policies.flatMap(({ group_id }) => group_id ?? [])),
    sites: [...rows, ...(chosen ? [chosen] : [])].flatMap(({ site_id }) => site_id ?? []),
  })
  // Names order the graph: it waits for them once, and stays while names of later rows load.
  const isNamed = useRef(false)
  isNamed.current ||= read.data !== undefined && !isLoading
  const failed = subject.error ?? read.error
  if (failed) return <Failed problem={failed} onRetry={() => void read.refetch()} />
  if (!chosen || !read.data || !isNamed.current) return <Loading rows={6} />
  if (rows.length === 0)
    return (
      <Empty title={layer === 'actors' ? texts.hints.reachesNothing : texts.explorer.nobody}>
        {layer === 'actors' ? texts.explorer.chooseResource : texts.explorer.chooseActor}
      </Empty>
    )
  const nameOf: NameOf = (kind, one) => (kind === 'providers' ? providers.get(one) : names(kind, one)) ?? shortId(one)
  const graph = graphOf(
    { layer, id, name: chosen.name, note: chosen.email ?? chosen.address ?? '', site_id: chosen.site_id },
    rows,
    nameOf,
  )
  const addressOf = ({ layer: kind, id: one }: Node): string => {
    if (kind === layer || (kind !== 'actors' && kind !== 'resources')) return `/${kind}/${one}`
    return layer === 'actors' ? `/access?actor=${id}&resource=${one}` : `/access?actor=${one}&resource=${id}`
  }
  return (
    <>
      {read.data.answer.metadata.next_page && <p className="remark">{texts.explorer.firstThousand}</p>}
      <GraphView graph={graph} addressOf={addressOf} />
    </>
  )
}

/** Explains access: what an actor reaches, who reaches a resource, and why a decision is as it is (K6). */
export function Explorer() {
  const session = useSession()
  const [search, change] = useAddress()
  const [actor, resource, other] = ['actor', 'resource', 'with'].map((name) => search.get(name))
  const providers = useProviderNames(Boolean(actor ?? resource))
  const clients = useRead('GET /clients', {
    path: {},
    query: { actor_id: actor ?? '', limit: 100 },
    enabled: Boolean(actor && resource) && hasScope(session, 'clients', 'read'),
  })
  usePageTitle(texts.explorer.title)
  const value = (name: string) => search.get(name) ?? ''
  const set = (name: string) => (next: string) => change({ [name]: next.trim() })
  const clientRows = clients.data?.answer.data ?? []
  const question = (actorId: string): Question => ({
    actorId,
    resourceId: resource ?? '',
    at: value('at') || null,
    ip: value('ip') || null,
    region: value('region') || null,
    provider: value('provider') || null,
    client: actorId === actor ? (clientRows.find(({ id }) => id === value('client')) ?? null) : null,
    clientId: actorId === actor ? value('client') || null : null,
  })
  const choices = (pairs: ReadonlyArray<readonly [string, string]>) => ({
    choices: pairs,
    blank: texts.explorer.notGiven,
  })
  return (
    <>
      <header className="page-header">
        <h1>{texts.explorer.title}</h1>
        <div className="page-actions">
          {actor && other && (
            <ActionButton onPress={() => change({ with: null })}>{texts.explorer.endComparison}</ActionButton>
          )}
        </div>
      </header>
      <search className="explorer-inputs">
        <ChoiceBox
          to="actors"
          label={labelOf('actor')}
          value={actor ?? null}
          onChange={(id) => change({ actor: id, client: null })}
        />
        <ChoiceBox
          to="resources"
          label={labelOf('resource')}
          value={resource ?? null}
          onChange={(id) => change({ resource: id })}
        />
        {actor && (
          <ChoiceBox
            to="actors"
            label={texts.explorer.with}
            value={other ?? null}
            onChange={(id) => change({ with: id })}
          />
        )}
      </search>
      {actor && resource && (
        <search className="filters circumstances" aria-label={texts.explorer.circumstances}>
          <TimeFilter name="at" value={value('at')} onChange={(at) => change({ at })} />
          <FilterControl
            filter={{ name: 'client', ...choices(clientRows.map(({ id, name }) => [id, name])) }}
            value={value('client')}
            onChange={set('client')}
          />
          <FilterControl filter={{ name: 'ip' }} value={value('ip')} onChange={set('ip')} />
          <FilterControl
            filter={{ name: 'region', ...choices(regions) }}
            value={value('region')}
            onChange={set('region')}
          />
          <FilterControl
            filter={{ name: 'provider', ...choices([...providers]) }}
            value={value('provider')}
            onChange={set('provider')}
          />
        </search>
      )}
      {!actor && !resource && <Empty title={texts.explorer.choose}>{texts.explorer.chooseHint}</Empty>}
      {actor && !resource && !other && <AccessGraph key={actor} layer="actors" id={actor} providers={providers} />}
      {!actor && resource && <AccessGraph key={resource} layer="resources" id={resource} providers={providers} />}
      {actor && other && !resource && <Comparison actors={[actor, other]} />}
      {actor && resource && (
        <div className="decisions">
          {[actor, ...(other ? [other] : [])].map((id) => (
            <Decision key={id} question={question(id)} providers={providers} />
          ))}
        </div>
      )}
    </>
  )
}
