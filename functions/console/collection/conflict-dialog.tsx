import { useState } from 'react'
import { type Problem, toProblem } from '../client/problem.ts'
import { useRead } from '../client/queries.ts'
import { ActionButton, ModalDialog } from '../parts/controls.tsx'
import { ShownText } from '../parts/shown-text.tsx'
import { Failed } from '../parts/states.tsx'
import { hasScope, useSession } from '../session/session.ts'
import { labelOf, texts } from '../texts/texts.ts'
import type { Field, Row, Values } from './collection.ts'
import { differencesOf, mergedValues } from './merge.ts'
import { useNames } from './references.ts'
import { textOf } from './values.tsx'

type Props = {
  fields: Field[]
  id: string
  loaded: Values
  theirs: Values
  mine: Values
  onSave: (values: Values) => Promise<void>
  onReload: () => void
  onClose: () => void
}

/** Reads from the history who changed an object last; undefined without the scope to read logs. */
function useLastAuthor(id: string): string | undefined {
  const session = useSession()
  const query = { type: 'change' as const, object_id: id, limit: 1, total_limit: 0 }
  const read = useRead('GET /logs', { path: {}, query, enabled: hasScope(session, 'logs', 'read') })
  const [entry] = read.data?.answer.data ?? []
  return entry && 'subject' in entry
    ? (entry.subject?.actor_name ?? entry.subject?.actor_email ?? undefined)
    : undefined
}

const kinds = { ports: 'filters', conditions: 'conditions', lines: 'list', choice: 'option', flag: 'flag' } as const

/** Shows an edit that was made in the meantime beside one's own (K5.5). Nothing is sent before a choice. */
export function ConflictDialog({ fields, id, loaded, theirs, mine, onSave, onReload, onClose }: Props) {
  const [chosen, setChosen] = useState<Record<string, 'theirs' | 'mine'>>({})
  const [problem, setProblem] = useState<Problem>()
  const author = useLastAuthor(id)
  const differences = differencesOf(loaded, theirs, mine)
  const all = [loaded, theirs, mine]
  const references = fields.filter(({ to }) => to)
  const names = useNames(
    Object.fromEntries(
      references.map(({ name, to }) => [to, all.map((values) => values[name]).filter(Boolean)]),
    ) as never,
  )
  const shown = (name: string, value: unknown) => {
    const field = fields.find((one) => one.name === name)
    const kind = kinds[field?.kind as keyof typeof kinds]
    const column = { field: name, ...(kind && { kind }), ...(field?.to && { to: field.to }) }
    const text = textOf(column, { [name]: value } as Row, names)
    return text ? <ShownText text={text} /> : <span className="none">{texts.states.none}</span>
  }
  const save = () => onSave(mergedValues(differences, mine, chosen)).catch((error) => setProblem(toProblem(error)))
  return (
    <ModalDialog title={texts.conflict.title} onClose={onClose} wide isAlert>
      <p>{author ? texts.conflict.by(author) : texts.form.merged}</p>
      <div className="table-frame">
        <table className="conflict">
          <thead>
            <tr>
              {[texts.conflict.field, texts.conflict.loaded, texts.conflict.theirs, texts.conflict.mine].map(
                (label) => (
                  <th scope="col" key={label}>
                    {label}
                  </th>
                ),
              )}
            </tr>
          </thead>
          <tbody>
            {differences.map(({ field, isConflict, ...values }) => {
              const isMine = isConflict
                ? chosen[field] !== 'theirs'
                : JSON.stringify(values.loaded) !== JSON.stringify(values.mine)
              const side = (name: 'theirs' | 'mine', isChosen: boolean) => (
                <td className={isChosen ? 'chosen' : undefined} data-label={texts.conflict[name]}>
                  <label>
                    <input
                      type="radio"
                      name={field}
                      checked={isChosen}
                      disabled={!isConflict}
                      onChange={() => setChosen({ ...chosen, [field]: name })}
                    />
                    {shown(field, values[name])}
                  </label>
                </td>
              )
              return (
                <tr key={field}>
                  <th scope="row">{labelOf(field)}</th>
                  <td data-label={texts.conflict.loaded}>{shown(field, values.loaded)}</td>
                  {side('theirs', !isMine)}
                  {side('mine', isMine)}
                </tr>
              )
            })}
          </tbody>
        </table>
      </div>
      {problem && <Failed problem={problem} />}
      <div className="dialog-actions">
        <ActionButton onPress={onClose}>{texts.actions.cancel}</ActionButton>
        <ActionButton onPress={onReload}>{texts.conflict.reload}</ActionButton>
        <ActionButton tone="primary" onPress={() => void save()}>
          {texts.conflict.save}
        </ActionButton>
      </div>
    </ModalDialog>
  )
}
