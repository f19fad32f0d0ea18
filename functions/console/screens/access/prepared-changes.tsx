import { type ReactNode, useState } from 'react'
import type { Operations } from '../../client/api-types.ts'
import { Problem } from '../../client/problem.ts'
import { refreshAll, useRead } from '../../client/queries.ts'
import { send } from '../../client/request.ts'
import type { Collection, Row } from '../../collection/collection.ts'
import { conditionText } from '../../collection/conditions.ts'
import { ConfirmDialog } from '../../collection/confirm-dialog.tsx'
import { type Names, useChoices } from '../../collection/references.ts'
import { titleOf } from '../../collection/values.tsx'
import { plainText, shortId } from '../../parts/characters.ts'
import { ActionButton, ActionLink } from '../../parts/controls.tsx'
import { notify } from '../../parts/notice.tsx'
import { hasScope, useSession } from '../../session/session.ts'
import { texts } from '../../texts/texts.ts'
import { actors } from '../actors/actors.tsx'
import { clients } from '../clients/clients.tsx'
import { groups } from '../groups/groups.tsx'
import { policies } from '../policies/policies.tsx'
import {
  type Circumstances,
  type EvaluatedPolicy,
  type Evaluation,
  plainConditions,
  widenedConditions,
} from './repairs.ts'

/** Change that would allow access. It is performed here, or at an address, or it cannot be made in this service. */
type Change = {
  text: string
  scope: string
  to?: string
  lock?: string | undefined
  /** Collection and row that change, and the request. */
  of?: { collection: Collection; row: Row }
  perform?: () => Promise<unknown>
  before?: string
  after?: string
}

type Props = {
  evaluation: Evaluation
  actor: Row
  resource: Row
  names: Names
  known: Circumstances
  client: Operations['GET /clients']['answer']['data'][number] | null
}

const sentence = (conditions: ReturnType<typeof plainConditions>): string =>
  conditions.length > 0 ? conditions.map((one) => conditionText(one)).join('; ') : texts.explorer.always

/** Replaces the conditions of a policy, unless they differ from the evaluated ones, because nothing is changed unseen. */
async function replaceConditions(policy: EvaluatedPolicy, conditions: ReturnType<typeof plainConditions>) {
  const path = { id: policy.id }
  const { answer, etag } = await send('GET /policies/{id}', { path })
  if (JSON.stringify(answer.data.conditions) !== JSON.stringify(plainConditions(policy))) {
    await refreshAll()
    throw new Problem(412, { code: 'precondition_failed', detail: texts.explorer.changedMeanwhile })
  }
  const body = { policy: { conditions } } as Operations['PATCH /policies/{id}']['body']
  await send('PATCH /policies/{id}', { path, body, ifMatch: etag ?? undefined })
}

/** Lists the changes that would allow access, by the reason of the decision. */
function useChanges({ evaluation, actor, resource, names, known, client }: Props): Change[] {
  const { reason } = evaluation
  const { change } = texts.explorer
  const isUngranted = reason === 'no_policy'
  const query = { resource_id: resource.id, is_disabled: 'false' as const, limit: 100 }
  const others = useRead('GET /policies', { path: {}, query, enabled: isUngranted })
  const groupRows = useChoices('groups', isUngranted).rows
  const [name, title] = [titleOf(actor), titleOf(resource)]
  const groupOf = (id: string | null): string => plainText((id && names('groups', id)) || shortId(id ?? ''))
  const policyRow = ({ id, group_id }: EvaluatedPolicy) => ({
    id,
    group_id,
    name: change.policyName(groupOf(group_id)),
  })

  if (reason === null)
    return [{ text: change.gateway, scope: 'gateways', to: `/sites/${resource.site_id}?show=gateways` }]
  if (reason === 'not_connectable') return []
  if (reason === 'actor_disabled') {
    const path = { id: actor.id }
    const perform = () => send('PATCH /actors/{id}', { path, body: { actor: { is_disabled: false } } })
    return [{ text: change.enableActor(name), scope: 'actors', of: { collection: actors, row: actor }, perform }]
  }
  const enabling = evaluation.policies
    .filter(({ is_disabled, conforms }) => is_disabled && conforms)
    .map((policy): Change => {
      const path = { id: policy.id }
      const perform = () => send('PATCH /policies/{id}', { path, body: { policy: { is_disabled: false } } })
      const of = { collection: policies, row: policyRow(policy) }
      return { text: change.enablePolicy(groupOf(policy.group_id)), scope: 'policies', of, perform }
    })
  if (isUngranted) {
    const actorGroups = new Set(evaluation.policies.map(({ group_id }) => group_id))
    const ids = new Set((others.data?.answer.data ?? []).flatMap(({ group_id }) => group_id ?? []))
    const joining = [...ids.difference(actorGroups)].flatMap((id): Change[] => {
      const row = groupRows.find((one) => one.id === id)
      if (!row) return []
      const body = { memberships: { add: [actor.id], remove: [] } }
      const perform = () => send('PATCH /groups/{group_id}/memberships', { path: { group_id: id }, body })
      const lock = groups.lockOf?.(row, 'update')
      return [
        { text: change.join(name, titleOf(row)), scope: 'groups', lock, of: { collection: groups, row }, perform },
      ]
    })
    const to = `/policies/new?resource_id=${resource.id}`
    return [...enabling, ...joining, { text: change.newPolicy(title), scope: 'policies', to }]
  }
  const unmet = evaluation.policies.filter(({ is_disabled, conforms }) => !is_disabled && !conforms)
  const isOnlyUnverified = ({ conditions }: EvaluatedPolicy) =>
    conditions.every(({ passed, property }) => passed || property === 'client_verified')
  const verifying: Change[] =
    client && unmet.some(isOnlyUnverified)
      ? [
          {
            text: change.verify(titleOf(client)),
            scope: 'clients',
            of: { collection: clients, row: client },
            perform: () => send('PUT /clients/{id}/verify', { path: { id: client.id } }),
          },
        ]
      : []
  const widening = unmet.map((policy): Change => {
    const conditions = widenedConditions(policy, known)
    return {
      text: change.widen(groupOf(policy.group_id)),
      scope: 'policies',
      of: { collection: policies, row: policyRow(policy) },
      perform: () => replaceConditions(policy, conditions),
      before: sentence(plainConditions(policy)),
      after: sentence(conditions),
    }
  })
  return [...verifying, ...widening, ...enabling]
}

const Difference = ({ change: { before, after } }: { change: Change }): ReactNode =>
  before && (
    <dl className="difference">
      <div>
        <dt>{texts.explorer.before}</dt>
        <dd>{before}</dd>
      </div>
      <div>
        <dt>{texts.explorer.after}</dt>
        <dd>{after}</dd>
      </div>
    </dl>
  )

/** Changes that would allow access, each with its confirmation (K7.1). */
export function PreparedChanges(props: Props) {
  const session = useSession()
  const [chosen, setChosen] = useState<Change>()
  const changes = useChanges(props)
  if (changes.length === 0) return null
  return (
    <div>
      <h2>{texts.explorer.changes}</h2>
      <ul className="box-list prepared">
        {changes.map((change) => (
          <li key={change.text}>
            <div>
              <p>{change.text}</p>
              {change.lock && <p className="minor">{change.lock}</p>}
              <Difference change={change} />
            </div>
            {!change.lock &&
              hasScope(session, change.scope, 'write') &&
              (change.to ? (
                <ActionLink to={change.to}>{texts.explorer.open}</ActionLink>
              ) : (
                <ActionButton label={`${texts.explorer.review}: ${change.text}`} onPress={() => setChosen(change)}>
                  {texts.explorer.review}
                </ActionButton>
              ))}
          </li>
        ))}
      </ul>
      {chosen?.of && (
        <ConfirmDialog
          title={`${chosen.text}?`}
          verb={texts.confirm.changeVerb}
          name={titleOf(chosen.of.row)}
          row={chosen.of.row}
          counts={chosen.of.collection.counts ?? []}
          onConfirm={async () => {
            await chosen.perform?.()
            setChosen(undefined)
            notify(texts.explorer.changed)
            await refreshAll()
          }}
          onClose={() => setChosen(undefined)}
        >
          <Difference change={chosen} />
        </ConfirmDialog>
      )}
    </div>
  )
}
