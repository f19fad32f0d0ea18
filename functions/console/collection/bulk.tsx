import { useRef, useState } from 'react'
import { Input, Label, TextField } from 'react-aria-components'
import type { CalledRoute } from '../client/api-types.ts'
import { toProblem } from '../client/problem.ts'
import { refreshAll } from '../client/queries.ts'
import { send } from '../client/request.ts'
import { ActionButton, ModalDialog } from '../parts/controls.tsx'
import { Icon } from '../parts/icons.tsx'
import { ShownText } from '../parts/shown-text.tsx'
import { texts } from '../texts/texts.ts'
import type { Collection, Row } from './collection.ts'
import { OwnSessionWarning } from './own-session.tsx'

/** Maximum number of selected rows (K5.8). */
export const maxSelected = 100

type BulkAction = {
  label: string
  route: CalledRoute
  body?: unknown
  isDanger?: boolean
  /** Reason for which the action leaves a row out; undefined if it applies. */
  lockOf: (row: Row) => string | undefined
}

/** Actions that a list offers for several rows. An object whose name must be typed is deleted one by one (K7.4). */
export function bulkActionsOf({ routes, actions = [], fields, envelope, lockOf, typesName }: Collection): BulkAction[] {
  const switching = (isDisabled: boolean): BulkAction => ({
    label: isDisabled ? texts.actions.disable : texts.actions.enable,
    route: routes.update as CalledRoute,
    body: { [envelope]: { is_disabled: isDisabled } },
    isDanger: isDisabled,
    lockOf: (row) => (row.is_disabled === isDisabled ? texts.bulk.already : lockOf?.(row, 'update')),
  })
  const canSwitch = routes.update && fields.some(({ name }) => name === 'is_disabled')
  return [
    ...actions.map(({ label, route, isShown, confirm }) => ({
      label,
      route,
      isDanger: confirm !== undefined,
      lockOf: (row: Row) => (isShown(row) ? undefined : texts.bulk.already),
    })),
    ...(canSwitch ? [switching(false), switching(true)] : []),
    ...(routes.remove && !typesName
      ? [
          {
            label: texts.actions.remove,
            route: routes.remove,
            isDanger: true,
            lockOf: (row: Row) => lockOf?.(row, 'remove'),
          },
        ]
      : []),
  ]
}

type Result = { isDone: boolean; text: string }

type Chosen = { action: BulkAction; rows: Row[]; titles: Map<string, string> }

type DialogProps = Chosen & { collection: Collection; params: Record<string, string>; onClose: () => void }

/** Performs an action on rows, one request after the other, with the result of each. It can be stopped, and resumed after 429. */
function BulkDialog({ collection, params, action, rows, titles, onClose }: DialogProps) {
  const [results, setResults] = useState<ReadonlyMap<string, Result>>(new Map())
  const [isRunning, setRunning] = useState(false)
  const [typed, setTyped] = useState('')
  const isStopped = useRef(false)
  const open = rows.filter(({ id }) => !results.has(id))
  const count = texts.counted(collection.noun, rows.length)
  const run = async () => {
    isStopped.current = false
    setRunning(true)
    for (const row of open) {
      if (isStopped.current) break
      const lock = action.lockOf(row)
      let result: Result = { isDone: lock === undefined, text: lock ?? texts.bulk.done }
      if (lock === undefined) {
        const options = { path: { ...params, id: row.id }, ...(action.body !== undefined && { body: action.body }) }
        try {
          await send(action.route as 'DELETE /sites/{id}', options as never)
        } catch (error) {
          const problem = toProblem(error)
          if (problem.status === 429) break
          result = { isDone: false, text: problem.message }
        }
      }
      setResults((current) => new Map(current).set(row.id, result))
    }
    setRunning(false)
    await refreshAll()
  }
  const hasBegun = results.size > 0 || isRunning
  const mustType = action.isDanger && !hasBegun
  return (
    <ModalDialog title={`${action.label}: ${count}`} onClose={onClose} isAlert>
      {!hasBegun && rows.map((row) => <OwnSessionWarning key={row.id} row={row} />)}
      <ul className="box-list bulk-rows">
        {rows.map(({ id }) => {
          const result = results.get(id)
          return (
            <li key={id} className={result && (result.isDone ? 'met' : 'unmet')}>
              <ShownText text={titles.get(id) ?? id} />
              {result && (
                <span>
                  <Icon name={result.isDone ? 'check' : 'close'} />
                  {result.text}
                </span>
              )}
            </li>
          )
        })}
      </ul>
      <p role="status">{hasBegun && texts.bulk.progress(results.size, rows.length)}</p>
      {mustType && (
        <TextField className="field" value={typed} onChange={setTyped} autoComplete="off" inputMode="numeric">
          <Label>{texts.bulk.type(rows.length)}</Label>
          <Input className="input" />
        </TextField>
      )}
      <div className="dialog-actions">
        {isRunning ? (
          <ActionButton onPress={() => (isStopped.current = true)}>{texts.bulk.stop}</ActionButton>
        ) : (
          <ActionButton onPress={onClose}>{hasBegun ? texts.actions.close : texts.actions.cancel}</ActionButton>
        )}
        {open.length > 0 && !isRunning && (
          <ActionButton
            tone={action.isDanger ? 'danger' : 'primary'}
            isDisabled={mustType === true && typed.trim() !== String(rows.length)}
            onPress={() => void run()}
          >
            {hasBegun ? texts.bulk.resume(open.length) : `${action.label} ${count}`}
          </ActionButton>
        )}
      </div>
    </ModalDialog>
  )
}

type BarProps = Pick<DialogProps, 'collection' | 'params' | 'rows'> & {
  titleOfRow: (row: Row) => string
  onClear: () => void
}

/** Actions on the selected rows of a list (K5.8). */
export function BulkBar({ collection, params, rows, titleOfRow, onClear }: BarProps) {
  const [chosen, setChosen] = useState<Chosen>()
  if (rows.length === 0 && !chosen) return null
  return (
    <div className="bulk-bar">
      <span role="status">{texts.bulk.selected(rows.length, maxSelected)}</span>
      {bulkActionsOf(collection).map((action) => (
        <ActionButton
          key={action.label}
          tone={action.isDanger ? 'danger' : 'plain'}
          onPress={() => setChosen({ action, rows, titles: new Map(rows.map((row) => [row.id, titleOfRow(row)])) })}
        >
          {action.label}
        </ActionButton>
      ))}
      <ActionButton tone="quiet" onPress={onClear}>
        {texts.bulk.clear}
      </ActionButton>
      {chosen && (
        <BulkDialog
          collection={collection}
          params={params}
          {...chosen}
          onClose={() => {
            setChosen(undefined)
            onClear()
          }}
        />
      )}
    </div>
  )
}
