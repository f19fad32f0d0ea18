import { useId } from 'react'
import { ChoiceBox } from '../collection/choice-box.tsx'
import type { Filter } from '../collection/collection.ts'
import { FilterControl } from '../collection/list-screen.tsx'
import { ActionButton, ActionLink } from '../parts/controls.tsx'
import { preferences } from '../parts/preferences.ts'
import { useStore } from '../parts/store.ts'
import { labelOf, texts } from '../texts/texts.ts'
import { fromField, lastHours, toField } from './window.ts'

/** Filter of a log in its address. `sends` is its name in requests, where it differs. */
export type LogFilter = Filter & { sends?: string }

export type Chosen = Record<string, string | null>

type Props = { filters: LogFilter[]; chosen: Chosen; address: string; onChange: (changes: Chosen) => void }

type TimeProps = { name: string; value: string; onChange: (time: string | null) => void }

/** Field for a point in time, in the preferred zone. */
export function TimeField({ name, value, onChange }: TimeProps) {
  const { zone } = useStore(preferences)
  const id = useId()
  const shown = toField(value, zone)
  const change = (text: string) => text !== shown && onChange(fromField(text, zone))
  return (
    <div className="filter">
      <label htmlFor={id}>{labelOf(name)}</label>
      <input
        id={id}
        className="input"
        type="datetime-local"
        key={shown}
        defaultValue={shown}
        onBlur={(event) => change(event.target.value)}
        onKeyDown={(event) => event.key === 'Enter' && change(event.currentTarget.value)}
      />
    </div>
  )
}

/** Filters of a log: its window of time, and what its entries have. References load their choices when they are opened. */
export function LogFilters({ filters, chosen, address, onChange }: Props) {
  const isFiltered = [...filters.map(({ name }) => name), 'begin', 'end'].some((name) => chosen[name])
  return (
    <search className="filters log-filters">
      <TimeField name="begin" value={chosen.begin ?? ''} onChange={(begin) => onChange({ begin })} />
      <TimeField name="end" value={chosen.end ?? ''} onChange={(end) => onChange({ end })} />
      <span className="presets">
        {texts.logs.presets.map(([hours, text]) => (
          <ActionButton key={hours} tone="quiet" onPress={() => onChange(lastHours(hours, Date.now()))}>
            {text}
          </ActionButton>
        ))}
      </span>
      {filters.map((filter) =>
        filter.to ? (
          <ChoiceBox
            key={filter.name}
            to={filter.to}
            label={labelOf(filter.name)}
            value={chosen[filter.name] ?? null}
            onChange={(id) => onChange({ [filter.name]: id })}
            isLazy
          />
        ) : (
          <FilterControl
            key={filter.name}
            filter={filter}
            value={chosen[filter.name] ?? ''}
            onChange={(value) => onChange({ [filter.name]: value })}
          />
        ),
      )}
      {isFiltered && (
        <ActionLink to={address} tone="quiet">
          {texts.actions.clear}
        </ActionLink>
      )}
    </search>
  )
}
