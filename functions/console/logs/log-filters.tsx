import { ChoiceBox } from '../collection/choice-box.tsx'
import type { Filter } from '../collection/collection.ts'
import { FilterControl } from '../collection/list-screen.tsx'
import { ActionButton, ActionLink } from '../parts/controls.tsx'
import { preferences } from '../parts/preferences.ts'
import { useStore } from '../parts/store.ts'
import { fromInput, toInput } from '../parts/time.tsx'
import { labelOf, texts } from '../texts/texts.ts'
import { lastHours } from './window.ts'

/** Filter of a log in its address. `sends` is its name in requests, where it differs. */
export type LogFilter = Filter & { sends?: string }

export type Chosen = Record<string, string | null>

type Props = { filters: LogFilter[]; chosen: Chosen; address: string; onChange: (changes: Chosen) => void }

type TimeProps = { name: string; value: string; onChange: (time: string | null) => void }

/** Filter for a point in time, in the preferred zone. */
export function TimeFilter({ name, value, onChange }: TimeProps) {
  const { zone } = useStore(preferences)
  return (
    <FilterControl
      filter={{ name, type: 'datetime-local' }}
      value={toInput(value, zone)}
      onChange={(text) => onChange(fromInput(text, zone) || null)}
    />
  )
}

/** Filters of a log: its window of time, and what its entries have. References load their choices when they are opened. */
export function LogFilters({ filters, chosen, address, onChange }: Props) {
  const isFiltered = [...filters.map(({ name }) => name), 'begin', 'end'].some((name) => chosen[name])
  return (
    <search className="filters log-filters">
      {['begin', 'end'].map((name) => (
        <TimeFilter key={name} name={name} value={chosen[name] ?? ''} onChange={(time) => onChange({ [name]: time })} />
      ))}
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
