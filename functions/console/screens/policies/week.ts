/** Part of a day in minutes. `day` is 0 for Monday. */
export type Span = { day: number; from: number; to: number }

const days = 'MTWRFSU'
const wholeDay = 24 * 60

const minutesOf = (time: string): number => {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

/** Converts the values of a time condition (A17.2) to spans by time zone. A range includes its last minute. */
export function weeksOf(values: string[]): Array<{ zone: string; spans: Span[] }> {
  const spans = values.flatMap((value) => {
    const [letter = '', ranges = '', ...zone] = value.split('/')
    const day = days.indexOf(letter)
    return ranges.split(',').map((range) => {
      const [from = '', to = ''] = range.split('-')
      const span = range === 'true' ? { day, from: 0, to: wholeDay } : { day, from: minutesOf(from), to: minutesOf(to) }
      return { zone: zone.join('/'), span: { ...span, to: Math.min(Math.max(span.to, span.from + 1), wholeDay) } }
    })
  })
  return Object.entries(Object.groupBy(spans, ({ zone }) => zone)).map(([zone, some = []]) => ({
    zone,
    spans: some.map(({ span }) => span),
  }))
}
