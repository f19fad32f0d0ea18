import type { Row } from '../../collection/collection.ts'
import { type Condition, conditionText, timesText } from '../../collection/conditions.ts'
import { useProviderNames } from '../../collection/references.ts'
import { Empty } from '../../parts/states.tsx'
import { texts } from '../../texts/texts.ts'
import { weeksOf } from './week.ts'

const hours = [0, 6, 12, 18, 24]

/** Week of a time condition: a bar for each day, in the time zone of the condition. */
function Week({ values }: { values: string[] }) {
  return weeksOf(values).map(({ zone, spans }) => (
    <figure className="week" key={zone}>
      {[...'MTWRFSU'].map((letter, day) => {
        const dayValues = values.filter((value) => value.startsWith(`${letter}/`) && value.endsWith(`/${zone}`))
        return (
          <div key={letter} className="week-day">
            <span>{texts.weekdays[day]}</span>
            <svg
              viewBox="0 0 1440 20"
              preserveAspectRatio="none"
              role="img"
              aria-label={dayValues.length > 0 ? timesText(dayValues) : texts.closed}
            >
              {[6, 12, 18].map((hour) => (
                <line key={hour} x1={hour * 60} x2={hour * 60} y1={0} y2={20} />
              ))}
              {spans
                .filter((span) => span.day === day)
                .map(({ from, to }) => (
                  <rect key={from} x={from} width={to - from} height={20} />
                ))}
            </svg>
          </div>
        )
      })}
      <div className="week-hours" aria-hidden="true">
        {hours.map((hour) => (
          <span key={hour}>{hour}:00</span>
        ))}
      </div>
      <figcaption className="minor">{zone}</figcaption>
    </figure>
  ))
}

/** Conditions of a policy as sentences, with a week for times. */
export function ConditionsPart({ row }: { row: Row }) {
  const conditions = row.conditions as Condition[]
  const providers = useProviderNames(conditions.some(({ property }) => property === 'auth_provider_id'))
  if (conditions.length === 0) return <Empty title={texts.explorer.always}>{texts.hints.unconditional}</Empty>
  const times = conditions.find(({ property }) => property === 'current_utc_datetime')
  return (
    <>
      <ul className="sentences">
        {conditions.map((condition) => (
          <li key={condition.property}>{conditionText(condition, (id) => providers.get(id) ?? id)}</li>
        ))}
      </ul>
      {times && <Week values={times.values} />}
    </>
  )
}
