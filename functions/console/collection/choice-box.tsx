import { useState } from 'react'
import { Button, ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components'
import { useRead } from '../client/queries.ts'
import { Icon } from '../parts/icons.tsx'
import { ShownText } from '../parts/shown-text.tsx'
import { FieldNotes } from '../parts/text-input.tsx'
import { texts } from '../texts/texts.ts'
import type { ReferenceName, Row } from './collection.ts'
import { references, searchedChoices, useChoices, useNames } from './references.ts'
import { titleOf } from './values.tsx'

type Props = {
  to: ReferenceName
  label: string
  value: string | null
  onChange: (id: string | null) => void
  isRequired?: boolean | undefined
  faults?: string[]
  hint?: string | undefined
  /** Ids that cannot be chosen. */
  without?: ReadonlySet<string>
  isFocused?: boolean
  /** True if the choices are loaded only once the field is used or has a value. */
  isLazy?: boolean
}

/** Second line of a choice, which distinguishes objects of equal names. */
const noteOf = (row: Row): string => String(row.email ?? row.address ?? '')

/** Field that refers to an object. Typing filters the choices by name, email and address. */
export function ChoiceBox({
  to,
  label,
  value,
  onChange,
  isRequired,
  faults = [],
  hint,
  without,
  isFocused = false,
  isLazy = false,
}: Props) {
  const [isUsed, setUsed] = useState(false)
  const isSearched = to !== 'policies'
  const { rows, total } = useChoices(to, !isLazy || isUsed || value !== null, isSearched ? searchedChoices : undefined)
  const { title } = references[to]
  const [typed, setTyped] = useState<string>()
  const isPart = total > rows.length
  // Finds objects beyond the loaded ones.
  const search = useRead('GET /search', {
    path: {},
    query: { q: typed ?? '', objects: to },
    enabled: isPart && isSearched && (typed?.length ?? 0) >= 2,
  })
  const names = useNames({ [to]: value && isPart ? [value] : [] })
  const named = value ? names(to, value) : undefined
  const more = [
    ...(search.data?.answer.data ?? []).map((hit) => ({ ...hit, [hit.matched]: hit.value })),
    ...(value && named !== undefined ? [{ id: value, name: named }] : []),
  ] as unknown as Row[]
  const all = [...new Map([...more, ...rows].map((row) => [row.id, row])).values()]
  const chosen = all.find(({ id }) => id === value)
  const wanted = (typed ?? '').toLowerCase()
  const matching = all.filter(
    (row) => !without?.has(row.id) && `${titleOf(row, title)} ${noteOf(row)}`.toLowerCase().includes(wanted),
  )
  const shown = matching.slice(0, searchedChoices)
  const hidden = (wanted ? matching.length : Math.max(total, matching.length)) - shown.length
  return (
    <ComboBox
      className="field"
      items={shown}
      selectedKey={value}
      inputValue={typed ?? (chosen ? titleOf(chosen, title) : '')}
      onInputChange={(text) => setTyped(chosen && text === titleOf(chosen, title) ? undefined : text)}
      onSelectionChange={(key) => {
        setTyped(undefined)
        onChange(key === null ? null : String(key))
      }}
      onFocus={() => setUsed(true)}
      onOpenChange={(isOpen) => !isOpen && setTyped(undefined)}
      isInvalid={faults.length > 0}
      isRequired={isRequired ?? false}
      validationBehavior="aria"
      menuTrigger="input"
      autoFocus={isFocused}
      allowsEmptyCollection
    >
      <Label>{label}</Label>
      <div className="combo">
        <Input className="input" placeholder={texts.form.choose} />
        <Button className="combo-button" aria-label={label}>
          <Icon name="down" />
        </Button>
      </div>
      <FieldNotes hint={hint} faults={faults} />
      <Popover className="popover">
        <ListBox className="choices" renderEmptyState={() => <p className="minor choice">{texts.form.noChoice}</p>}>
          {(row: Row) => (
            <ListBoxItem id={row.id} textValue={titleOf(row, title)} className="choice">
              <ShownText text={String(row[title] ?? row.id)} />
              {noteOf(row) && (
                <span className="minor">
                  <ShownText text={noteOf(row)} />
                </span>
              )}
            </ListBoxItem>
          )}
        </ListBox>
        {shown.length > 0 && hidden > (without?.size ?? 0) && <p className="minor choice">{texts.form.more(hidden)}</p>}
      </Popover>
    </ComboBox>
  )
}
