import { useState } from 'react'
import type { CalledRoute } from '../client/api-types.ts'
import { refreshAll } from '../client/queries.ts'
import { send } from '../client/request.ts'
import { ActionButton } from '../parts/controls.tsx'
import { useUnsavedGuard } from '../parts/guard.ts'
import { Icon } from '../parts/icons.tsx'
import { notify } from '../parts/notice.tsx'
import { hasScope, useSession } from '../session/session.ts'
import { type Noun, texts } from '../texts/texts.ts'
import { ChoiceBox } from './choice-box.tsx'
import type { Collection, Column, ReferenceName, Row } from './collection.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { references, useNames } from './references.ts'
import { PagedRows } from './related-rows.tsx'
import { titleOf } from './values.tsx'

export type MemberSet = {
  noun: Noun
  scope: string
  of: ReferenceName
  list: CalledRoute
  edit: CalledRoute
  /** Path parameter with the id of the object that has the members. */
  parameter: string
  envelope: string
  columns: Column<Row>[]
}

type Props = { set: MemberSet; row: Row; collection: Collection }

type Answer = { metadata?: { pending: number } }

/** Members of a group or a pool. Additions and removals are collected, then confirmed and sent together (K5.4, K7.1). */
export function MembersPart({ set, row, collection }: Props) {
  const session = useSession()
  const [added, setAdded] = useState<string[]>([])
  const [removed, setRemoved] = useState<string[]>([])
  const [isConfirming, setConfirming] = useState(false)
  const path = { [set.parameter]: row.id }
  const names = useNames({ [set.of]: added })
  const canEdit = hasScope(session, set.scope, 'write') && collection.lockOf?.(row, 'update') === undefined
  const isChanged = added.length > 0 || removed.length > 0
  useUnsavedGuard(isChanged)
  const toggleRemoved = (id: string) =>
    setRemoved(removed.includes(id) ? removed.filter((one) => one !== id) : [...removed, id])
  const change = texts.members.pending(added.length, removed.length)
  const save = async () => {
    const body = { [set.envelope]: { add: added, remove: removed } }
    const { answer } = await send(set.edit as 'PATCH /groups/{group_id}/memberships', { path, body } as never)
    const pending = (answer as unknown as Answer).metadata?.pending ?? 0
    notify([texts.members.written, pending > 0 ? texts.members.later(pending) : ''].join(' '))
    setAdded([])
    setRemoved([])
    setConfirming(false)
    await refreshAll()
  }
  return (
    <>
      {canEdit && (
        <div className="member-editor">
          <ChoiceBox
            // Closes the box after each choice, because its value stays blank.
            key={added.length}
            isFocused={added.length > 0}
            to={set.of}
            label={texts.members.add}
            value={null}
            onChange={(id) => id && !added.includes(id) && setAdded([...added, id])}
            without={new Set(added)}
          />
          {isChanged && (
            <div className="pending-members">
              {added.map((id) => (
                <button
                  type="button"
                  className="chip"
                  key={id}
                  onClick={() => setAdded(added.filter((one) => one !== id))}
                >
                  <bdi>{titleOf({ id, name: names(set.of, id) ?? id })}</bdi>
                  <Icon name="close" />
                </button>
              ))}
              <ActionButton tone="primary" onPress={() => setConfirming(true)}>
                {texts.members.review(change)}
              </ActionButton>
            </div>
          )}
        </div>
      )}
      <PagedRows
        noun={set.noun}
        list={set.list}
        path={path}
        columns={set.columns}
        opens={(member) => `${references[set.of].address}/${member.id}`}
        {...(canEdit && {
          actions: (member: Row) => (
            <ActionButton
              tone="quiet"
              label={removed.includes(member.id) ? texts.members.keep : texts.members.remove(titleOf(member))}
              onPress={() => toggleRemoved(member.id)}
            >
              {removed.includes(member.id) ? texts.members.keep : texts.members.removeShort}
            </ActionButton>
          ),
        })}
      />
      {isConfirming && (
        <ConfirmDialog
          title={texts.confirm.memberTitle}
          verb={texts.confirm.changeVerb}
          name={`${titleOf(row)} (${change})`}
          row={row}
          counts={(collection.counts ?? []).filter(({ noun }) => noun !== set.noun)}
          onConfirm={save}
          onClose={() => setConfirming(false)}
        />
      )}
    </>
  )
}
