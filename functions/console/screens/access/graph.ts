import { type Condition, conditionText } from '../../collection/conditions.ts'
import { texts } from '../../texts/texts.ts'

export const layers = ['actors', 'groups', 'policies', 'resources', 'sites'] as const

export type Layer = (typeof layers)[number]

export type Node = { key: string; layer: Layer; id: string; name: string; note: string; noteTime?: string | null }

/** Connection of an actor to a resource: the keys of its nodes, in the order of the layers. */
type Path = string[]

export type Graph = { nodes: Record<Layer, Node[]>; paths: Path[] }

type Grant = { id: string; group_id: string | null; conditions: Condition[]; expires_at: string | null }

/** Row of an access list (P6.2): an actor or a resource, with the policies that can give access now. */
export type AccessRow = {
  id: string
  name: string
  type: string
  address?: string | null
  site_id?: string | null
  policies: Grant[]
}

type Subject = { layer: 'actors' | 'resources'; id: string; name: string; note: string; site_id?: string | null }

export type NameOf = (layer: 'groups' | 'sites' | 'providers', id: string) => string

/** Conditions that the access lists do not test, because the client and its sign-in are unknown (P6.2(2)). */
const isUntested = ({ property, values }: Condition): boolean =>
  property !== 'current_utc_datetime' && !(property === 'client_verified' && /^(false|0)$/.test(values[0] ?? ''))

function policyName({ conditions }: Grant, nameOf: NameOf): string {
  const untested = conditions.filter(isUntested)
  if (untested.length > 0)
    return texts.explorer.onlyIf(untested.map((one) => conditionText(one, (id) => nameOf('providers', id))))
  return conditions.length > 0 ? texts.explorer.now : texts.explorer.always
}

/** Builds the graph between an actor or a resource and the rows of its access list. */
export function graphOf(subject: Subject, rows: AccessRow[], nameOf: NameOf): Graph {
  const nodes = new Map<string, Node>()
  const paths: Path[] = []
  const add = (layer: Layer, id: string, name: string, note = '', noteTime: string | null = null): string => {
    const key = `${layer} ${id}`
    if (!nodes.has(key)) nodes.set(key, { key, layer, id, name, note, noteTime })
    return key
  }
  const start = add(subject.layer, subject.id, subject.name, subject.note)
  const grants = rows.flatMap((row) => row.policies.map((grant) => ({ row, grant })))
  const collator = new Intl.Collator(texts.locale, { numeric: true })
  const groupName = (grant: Grant) => nameOf('groups', grant.group_id ?? '')
  grants.sort(
    (a, b) => collator.compare(groupName(a.grant), groupName(b.grant)) || collator.compare(a.row.name, b.row.name),
  )
  for (const { row, grant } of grants) {
    const isActor = subject.layer === 'resources'
    const other = add(isActor ? 'actors' : 'resources', row.id, row.name, row.address ?? '')
    const site = isActor ? subject.site_id : row.site_id
    paths.push([
      isActor ? other : start,
      add('groups', grant.group_id ?? '', groupName(grant)),
      add('policies', grant.id, policyName(grant, nameOf), '', grant.expires_at),
      isActor ? start : other,
      ...(site ? [add('sites', site, nameOf('sites', site))] : []),
    ])
  }
  const all = [...nodes.values()]
  const of = (layer: Layer) => all.filter((node) => node.layer === layer)
  return {
    nodes: {
      actors: of('actors'),
      groups: of('groups'),
      policies: of('policies'),
      resources: of('resources'),
      sites: of('sites'),
    },
    paths,
  }
}

/** Returns the keys of all nodes on a path through the selected node; undefined without a selection. */
export const onPathsOf = ({ paths }: Graph, selected: string | null): Set<string> | undefined =>
  selected === null ? undefined : new Set(paths.filter((path) => path.includes(selected)).flat())

export type Line = { from: number; to: number; isOnPath: boolean }

/** Lines between two neighbouring layers, by positions in them. Positions from `shown` on are those of the folded rest. */
export function linesBetween(
  { nodes, paths }: Graph,
  [left, right]: [Layer, Layer],
  selected: string | null,
  shown: Record<Layer, number>,
): Line[] {
  const place = (layer: Layer) =>
    new Map(nodes[layer].map(({ key }, index) => [key, Math.min(index, shown[layer])] as const))
  const places = [place(left), place(right)] as const
  const lines = new Map<string, Line>()
  for (const path of paths) {
    const [from, to] = [layers.indexOf(left), layers.indexOf(right)].map((index, side) =>
      places[side]?.get(path[index] ?? ''),
    )
    if (from === undefined || to === undefined) continue
    const key = `${from} ${to}`
    const isOnPath = lines.get(key)?.isOnPath || (selected !== null && path.includes(selected))
    lines.set(key, { from, to, isOnPath })
  }
  return [...lines.values()].sort((a, b) => Number(a.isOnPath) - Number(b.isOnPath))
}
