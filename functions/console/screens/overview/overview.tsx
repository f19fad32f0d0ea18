import { Suspense } from 'react'
import { Link } from 'wouter'
import type { Operations } from '../../client/api-types.ts'
import { useRead } from '../../client/queries.ts'
import { type Names, useNames } from '../../collection/references.ts'
import { loadLogs } from '../../logs/log-parts.tsx'
import { shortId } from '../../parts/characters.ts'
import { Badge } from '../../parts/controls.tsx'
import { Filled } from '../../parts/filled.tsx'
import { Icon } from '../../parts/icons.tsx'
import { lazyScreen } from '../../parts/lazy-screen.ts'
import { PageHeader, usePageTitle } from '../../parts/page.tsx'
import { ShownText } from '../../parts/shown-text.tsx'
import { Loading, ReadState } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import { hasScope, useSession } from '../../session/session.ts'
import { labelOf, texts } from '../../texts/texts.ts'
import { LimitMeters, type Limits, nearLimit } from '../settings/limits.tsx'

/** Last changes, whose words are in the file of the logs. */
const RecentChanges = lazyScreen(async () => (await loadLogs()).RecentChanges)

type Overview = Operations['GET /overview']['answer']['data']

type Extras = { name?: string; time?: string; note?: string | null }
type Problem = Extras & { key: string; text: string; to: string; tone: 'bad' | 'warn' }

const problemOf =
  (tone: Problem['tone']) =>
  (key: string, text: string, to: string, extras: Extras = {}): Problem => ({ key, text, to, tone, ...extras })

const broken = problemOf('bad')
const attention = problemOf('warn')

/** Address of a source of synchronization: a directory, or the inventory of a posture provider. */
const sourceAddress = ({ object, id }: { object: string; id: string }): string =>
  object.endsWith('_directories')
    ? `/directories/${object.replace('_directories', '')}/${id}`
    : `/posture_providers/${id}`

function problemsOf(overview: Overview, limits: Limits, names: Names): Problem[] {
  const { problems } = texts.overview
  const { counts, gateways_online, sites_without_gateway, sources, expiring, orphaned_policies } = overview
  const offline = (counts.gateways ?? 0) - (gateways_online ?? counts.gateways ?? 0)
  const { count = 0, items = [] } = sites_without_gateway ?? {}
  const failing = Object.entries(limits).filter(([, { used, total }]) => used >= total * nearLimit)
  return [
    // A site without resources needs no gateway.
    ...items
      .filter(({ resources }) => resources !== 0)
      .map(({ id, name, resources }) => broken(id, problems.site(resources), `/sites/${id}`, { name })),
    ...(count > items.length ? [broken('sites', problems.moreSites(count - items.length), '/sites')] : []),
    ...(offline > 0 ? [broken('gateways', problems.gateways(offline), '/gateways?online=false')] : []),
    ...(sources ?? []).map((source) => {
      const { id, name, state, since, error } = source
      const create = state === 'disabled' ? attention : broken
      return create(id, problems.source[state], sourceAddress(source), { name, time: since, note: error })
    }),
    ...(expiring ?? []).map(({ id, object, actor_id, name, expires_at }) => {
      const to = `/actors/${actor_id}?show=${object === 'api_tokens' ? 'tokens' : 'client_tokens'}`
      const shown = name ?? names('actors', actor_id) ?? shortId(id)
      return attention(id, name ? problems.expiring : problems.expiringOf, to, { name: shown, time: expires_at })
    }),
    ...(orphaned_policies
      ? [attention('orphaned', problems.orphaned(orphaned_policies), '/policies?orphaned=true')]
      : []),
    ...failing.map(([name, { used, total }]) =>
      attention(name, problems.limit(labelOf(name), used, total), '/settings'),
    ),
  ]
}

const Name = ({ name = '' }: { name?: string | undefined }) => (
  <strong>
    <ShownText text={name} />
  </strong>
)

function Problems({ problems }: { problems: Problem[] }) {
  if (problems.length === 0)
    return (
      <p className="no-problems">
        <Icon name="check" />
        {texts.overview.noProblems}
      </p>
    )
  return (
    <ul className="box-list problems">
      {problems.map(({ key, name, text, to, tone, time, note }) => (
        <li key={key} className="problem">
          <Link href={to}>
            <Badge tone={tone}>{tone === 'bad' ? texts.overview.broken : texts.overview.attention}</Badge>
            <span>
              <Filled text={text} values={{ name: <Name name={name} /> }} />
              {note && (
                <span className="minor problem-note">
                  <ShownText text={note} />
                </span>
              )}
            </span>
            {time && (
              <span className="minor">
                <Time value={time} />
              </span>
            )}
          </Link>
        </li>
      ))}
    </ul>
  )
}

/** Six steps from an empty account to the first connection. */
function Steps({ counts }: { counts: Overview['counts'] }) {
  const { sites, gateways, resources, groups, policies, clients } = counts
  // Every account has the Internet Resource and the group Everyone.
  const done = [sites, gateways, (resources ?? 0) - 1, (groups ?? 0) - 1, policies, clients]
  const addresses = ['/sites/new', '/sites', '/resources/new', '/groups/new', '/policies/new', '/providers']
  return (
    <ol className="steps">
      {texts.overview.steps.map(([title, hint], index) => {
        const isDone = (done[index] ?? 0) > 0
        return (
          <li key={title} className={isDone ? 'step done' : 'step'}>
            <span className="step-number">{isDone ? <Icon name="check" /> : index + 1}</span>
            <span>
              <Link href={addresses[index] ?? '/'}>{title}</Link>
              {isDone && <span className="visually-hidden"> ({texts.overview.done})</span>}
              <span className="minor">{hint}</span>
            </span>
          </li>
        )
      })}
    </ol>
  )
}

function Numbers({ overview }: { overview: Overview }) {
  const { counts, gateways_online, flows, refusals, truncated } = overview
  const { day, gateways } = texts.overview
  const counted = ['resources', 'policies', 'groups', 'actors', 'sites', 'clients'] as const
  const flowCount = flows && texts.number(Math.max(flows.responder, flows.initiator))
  const online = gateways_online !== null && texts.settings.used(gateways_online, counts.gateways ?? 0)
  const tiles: Array<[to: string, label: string, value: string | null | false]> = [
    ['/flows', day.flows, flowCount && `${flows.exact ? '' : '≈ '}${flowCount}`],
    ['/refusals', day.refusals, refusals !== null && texts.number(refusals)],
    ['/gateways', gateways, online && `${truncated.includes('gateways_online') ? '≥ ' : ''}${online}`],
    ...counted.map((name): (typeof tiles)[number] => {
      const count = counts[name]
      return [`/${name}`, texts.many(name), count !== null && texts.number(count)]
    }),
  ]
  return (
    <ul className="tiles">
      {tiles
        .filter(([, , value]) => value)
        .map(([to, label, value]) => (
          <li key={to}>
            <Link href={to} className="tile">
              <span className="tile-label">{label}</span>
              <span className="tile-number">{value}</span>
            </Link>
          </li>
        ))}
    </ul>
  )
}

/** State of the account: problems first, the numbers of a day, limits, and the last changes (K6). */
export function OverviewScreen() {
  const session = useSession()
  const read = useRead('GET /overview', { path: {} })
  const account = useRead('GET /account', { path: {} })
  const overview = read.data?.answer.data
  const names = useNames({
    actors: (overview?.expiring ?? []).flatMap(({ name, actor_id }) => (name ? [] : [actor_id])),
  })
  const limits = account.data?.answer.data.limits ?? {}
  const isEmpty = overview?.counts.policies === 0 || overview?.counts.clients === 0
  const isNew = isEmpty && hasScope(session, 'policies', 'write')
  usePageTitle(texts.overview.title)
  return (
    <>
      <PageHeader title={texts.overview.title} />
      <div className="panels">
        <ReadState read={read} rows={6} />
        {overview && (
          <>
            {isNew && (
              <section>
                <h2>{texts.overview.start}</h2>
                <Steps counts={overview.counts} />
              </section>
            )}
            <section>
              <h2>{texts.overview.problemsTitle}</h2>
              <Problems problems={problemsOf(overview, limits, names)} />
            </section>
            {!isNew && (
              <section>
                <h2>{texts.overview.numbers}</h2>
                <Numbers overview={overview} />
              </section>
            )}
          </>
        )}
        {Object.keys(limits).length > 0 && (
          <section>
            <h2>{texts.settings.limits}</h2>
            <LimitMeters limits={limits} />
          </section>
        )}
        {hasScope(session, 'logs', 'read') && (
          <section>
            <h2>{texts.overview.changes}</h2>
            <Suspense fallback={<Loading rows={6} />}>
              <RecentChanges />
            </Suspense>
          </section>
        )}
      </div>
    </>
  )
}
