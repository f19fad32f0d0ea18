import { useState } from 'react'
import { toProblem } from '../client/problem.ts'
import { ActionButton } from '../parts/controls.tsx'
import { notify } from '../parts/notice.tsx'
import { saveFile } from '../parts/secret-dialog.tsx'
import { useSession } from '../session/session.ts'
import { type Noun, texts } from '../texts/texts.ts'
import type { Row } from './collection.ts'
import { maxCsvRows } from './csv.ts'
import { type Exported, exportRows } from './export-rows.ts'

type Props = {
  noun: Noun
  list: Exported
  /** Rows of a list that is loaded as a whole, in the place of all pages. */
  given?: Row[] | null
  /** Receives true if the list has more rows than an export. */
  onSaved: (isCut: boolean) => void
}

/** Button that saves a list as CSV, and shows the number of rows that are read (K5.3). */
export function ExportButton({ noun, list, given = null, onSaved }: Props) {
  const session = useSession()
  const [count, setCount] = useState<number>()
  const run = async () => {
    setCount(0)
    try {
      const result = await exportRows(list, given, session, setCount)
      saveFile(`${noun}.csv`, result.text, 'text/csv;charset=utf-8')
      onSaved(result.count === maxCsvRows)
    } catch (error) {
      notify(toProblem(error).message)
    }
    setCount(undefined)
  }
  return (
    <ActionButton onPress={() => void run()} isDisabled={count !== undefined}>
      {count === undefined ? texts.actions.csv : texts.states.exporting(count)}
    </ActionButton>
  )
}
