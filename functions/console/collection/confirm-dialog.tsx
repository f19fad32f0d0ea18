import { useQueries } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Input, Label, TextField } from 'react-aria-components'
import { type Problem, toProblem } from '../client/problem.ts'
import { send } from '../client/request.ts'
import { ActionButton, ModalDialog } from '../parts/controls.tsx'
import { Failed } from '../parts/states.tsx'
import { hasScope, useSession } from '../session/session.ts'
import { texts } from '../texts/texts.ts'
import type { Count, Row } from './collection.ts'
import { OwnSessionWarning } from './own-session.tsx'

/** Number of rows that are counted where a list has no total. */
const countedRows = 300

/** Number of people from which a confirmation requires typing the name (K7.4). */
const maxPeople = 100

type Counted = { count: Count; number: number; isComplete: boolean }

type ListAnswer = { data: unknown[]; metadata: { total?: number | null; next_page: string | null } }

async function countRows(count: Count, row: Row, signal: AbortSignal): Promise<Counted> {
  const options = { path: count.path?.(row) ?? {}, query: { ...count.query?.(row), limit: countedRows }, signal }
  const { data, metadata } = (await send(count.list as 'GET /sites', options)).answer as unknown as ListAnswer
  const total = metadata.total ?? null
  return { count, number: total ?? data.length, isComplete: total !== null || metadata.next_page === null }
}

/** Counts what a change affects. An incomplete count is a lower bound, and a failed one is unknown (K7.2). */
function useCounts(counts: Count[], row: Row) {
  const session = useSession()
  const allowed = counts.filter((count) => count.isShown?.(row) !== false && hasScope(session, count.scope, 'read'))
  const results = useQueries({
    queries: allowed.map((count) => ({
      queryKey: ['count', count.list, count.noun, row.id],
      queryFn: ({ signal }: { signal: AbortSignal }) => countRows(count, row, signal),
      staleTime: 0,
      retry: false,
    })),
  })
  const parts = results.flatMap(({ data, isError }, index) => {
    const noun = allowed[index]?.noun
    if (isError && noun) return [`${texts.many(noun)}: ${texts.states.unknown}`]
    if (!data || data.number === 0) return []
    const text = texts.counted(data.count.noun, data.number)
    return [data.isComplete ? text : texts.confirm.orMore(text)]
  })
  const people = results.find(({ data }) => data?.count.noun === 'people')?.data
  return {
    parts,
    isCounting: results.some(({ isPending }) => isPending),
    isLarge: people !== undefined && (people.number > maxPeople || !people.isComplete),
  }
}

type Props = {
  title: string
  /** Verb and name of the button: "Delete", "Berlin". */
  verb: string
  name: string
  row: Row
  counts: Count[]
  /** Effects that are known without counting. */
  effects?: string[]
  typesName?: boolean | undefined
  isDanger?: boolean
  children?: ReactNode
  /** Performs the change. The dialog shows a problem and stays open. */
  onConfirm: () => Promise<void>
  onClose: () => void
}

/** First stage of a confirmation (K7.2): names the action, the object and what else is affected. */
export function ConfirmDialog({ title, verb, name, row, counts, effects = [], typesName, ...more }: Props) {
  const { isDanger, children, ...events } = more
  const { parts, isCounting, isLarge } = useCounts(counts, row)
  const [typed, setTyped] = useState('')
  const [problem, setProblem] = useState<Problem>()
  const [isPending, setPending] = useState(false)
  const mustType = typesName || isLarge
  const confirm = async () => {
    setPending(true)
    setProblem(undefined)
    try {
      await events.onConfirm()
    } catch (error) {
      setProblem(toProblem(error))
      setPending(false)
    }
  }
  return (
    <ModalDialog title={title} onClose={events.onClose} isAlert>
      {children}
      <OwnSessionWarning row={row} />
      {counts.length > 0 && (
        <div className="affected" aria-live="polite">
          {isCounting && <p className="minor">{texts.confirm.counting}</p>}
          {!isCounting && parts.length === 0 && <p className="minor">{texts.confirm.nothing}</p>}
          {!isCounting && parts.length > 0 && (
            <>
              <p className="minor">{texts.confirm.affected}</p>
              <ul>
                {parts.map((part) => (
                  <li key={part}>{part}</li>
                ))}
              </ul>
            </>
          )}
        </div>
      )}
      {mustType && (
        <TextField className="field" value={typed} onChange={setTyped} autoComplete="off">
          <Label>
            {texts.confirm.type}: <bdi className="typed-name">{name}</bdi>
          </Label>
          <Input className="input" />
        </TextField>
      )}
      {problem && <Failed problem={problem} />}
      <div className="dialog-actions">
        <ActionButton onPress={events.onClose}>{texts.actions.cancel}</ActionButton>
        <ActionButton
          tone={isDanger ? 'danger' : 'primary'}
          isDisabled={isCounting || (mustType && typed.trim() !== name.trim())}
          isPending={isPending}
          onPress={() => void confirm()}
        >
          {texts.confirm.button(verb, name, isCounting ? effects : [...effects, ...parts])}
        </ActionButton>
      </div>
    </ModalDialog>
  )
}
