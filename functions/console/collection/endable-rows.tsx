import { type ReactNode, useState } from 'react'
import type { CalledRoute } from '../client/api-types.ts'
import { refreshAll } from '../client/queries.ts'
import { send } from '../client/request.ts'
import { shortId } from '../parts/characters.ts'
import { ActionButton } from '../parts/controls.tsx'
import { notify } from '../parts/notice.tsx'
import { hasScope, useSession } from '../session/session.ts'
import { type Noun, texts } from '../texts/texts.ts'
import type { Column, Row } from './collection.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { PagedRows } from './related-rows.tsx'

type Props = {
  noun: Noun
  list: CalledRoute
  path: Record<string, string>
  query?: Record<string, unknown>
  columns: Column<Row>[]
  /** Scope collection of the operation that ends a row. */
  scope: string
  remove: CalledRoute
  /** Operation that ends all rows of the path, and the row whose rows they are. */
  all?: { remove: CalledRoute; row: Row }
  verb?: string
  /** Effect of the end, which the confirmation describes. */
  note: string
  tools?: ReactNode
  hint?: string
}

/** Rows that can be ended one by one, such as tokens, sessions and authorizations. */
export function EndableRows({ verb = texts.actions.remove, scope, remove, all, note, tools, ...list }: Props) {
  const { noun, path } = list
  const session = useSession()
  const [chosen, setChosen] = useState<Row | 'all'>()
  const canWrite = hasScope(session, scope, 'write')
  const nameOf = (one: Row) => String(one.name ?? shortId(one.id))
  const isAll = chosen === 'all'
  const end = async () => {
    const request = typeof chosen === 'object' ? { route: remove, id: chosen.id } : { route: all?.remove }
    await send(request.route as 'DELETE /sites/{id}', { path: { ...path, id: request.id ?? '' } })
    setChosen(undefined)
    notify(texts.form.removed(noun, isAll))
    await refreshAll()
  }
  return (
    <>
      <PagedRows
        {...list}
        tools={
          canWrite &&
          (all || tools) && (
            <>
              {all && <ActionButton onPress={() => setChosen('all')}>{texts.actions.all(verb, noun)}</ActionButton>}
              {tools}
            </>
          )
        }
        {...(canWrite && {
          actions: (one: Row) => (
            <ActionButton tone="quiet" label={`${verb} ${nameOf(one)}`} onPress={() => setChosen(one)}>
              {verb}
            </ActionButton>
          ),
        })}
      />
      {chosen && (
        <ConfirmDialog
          title={isAll ? `${texts.actions.all(verb, noun)}?` : texts.confirm.end(verb, noun, nameOf(chosen))}
          verb={isAll ? texts.actions.all(verb, noun) : verb}
          name={isAll ? '' : nameOf(chosen)}
          row={isAll && all ? all.row : (chosen as Row)}
          isDanger
          onConfirm={end}
          onClose={() => setChosen(undefined)}
        >
          <p>{note}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
