import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from 'react'
import { prefetch } from '../../parts/lazy-screen.ts'
import { preferences } from '../../parts/preferences.ts'
import { useStore } from '../../parts/store.ts'
import { Time } from '../../parts/time.tsx'
import { texts } from '../../texts/texts.ts'
import type { Bucket, Order, Series } from './buckets.ts'

type Props = { buckets: Bucket[]; series: Series[]; order: Order; onWindow: (begin: number, end: number) => void }

/** Selected columns by their indexes, in the order in which they were selected. */
type Selection = { anchor: number; focus: number }

const loadDrawing = () => import('./draw-columns.ts')
prefetch(loadDrawing)

const frame = { height: 220, left: 64, right: 24, bottom: 24 }
/** Milliseconds of a window up to which the axis shows hours; longer ones show days. */
const maxHourLabels = 2 * 86_400_000

const { height, left, right, bottom } = frame

/** Stacked columns. Dragging, or Shift with arrow keys, selects columns as the window (K8.2). The legend shows their numbers. */
export function ColumnPlot({ buckets, series, order, onWindow }: Props) {
  const { zone } = useStore(preferences)
  const host = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  const [selection, setSelection] = useState<Selection | null>(null)
  const isDragging = useRef(false)
  const [first, last] = [buckets[0]?.begin ?? 0, buckets.at(-1)?.end ?? 1]
  const axis = useMemo(() => {
    const isLong = last - first > maxHourLabels
    const parts = isLong
      ? ({ month: 'short', day: 'numeric' } as const)
      : ({ hour: '2-digit', minute: '2-digit' } as const)
    return new Intl.DateTimeFormat(texts.locale, {
      ...parts,
      hourCycle: 'h23',
      ...(zone === 'utc' && { timeZone: 'UTC' }),
    })
  }, [first, last, zone])
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)))
    if (host.current) observer.observe(host.current)
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    let isCurrent = true
    if (width > 0)
      void loadDrawing().then(({ drawColumns }) => {
        const colors = series.map(({ color }) => `var(--${color})`)
        const chart = drawColumns({
          buckets,
          colors,
          frame: { ...frame, width },
          isUtc: zone === 'utc',
          timeText: (time) => axis.format(time),
          amountText: order === 'bytes' ? texts.compactBytes : texts.compact,
        })
        if (isCurrent) host.current?.replaceChildren(chart)
      })
    return () => {
      isCurrent = false
    }
  }, [buckets, series, order, width, zone, axis])

  const xOf = (time: number): number => left + ((time - first) / (last - first)) * (width - left - right)
  const indexAt = (event: PointerEvent): number => {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left
    const time = first + ((x - left) / (width - left - right)) * (last - first)
    const found = buckets.findIndex(({ end }) => time < end)
    return found < 0 ? buckets.length - 1 : found
  }
  const [low, high] = selection
    ? [Math.min(selection.anchor, selection.focus), Math.max(selection.anchor, selection.focus)]
    : [0, buckets.length - 1]
  const chosen = buckets.slice(low, high + 1)
  const [begin, end] = [chosen[0]?.begin ?? first, chosen.at(-1)?.end ?? last]
  const apply = () => {
    setSelection(null)
    onWindow(begin, end)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (event.key === 'Escape') setSelection(null)
    if (event.key === 'Enter' && selection) apply()
    if (step === undefined) return
    event.preventDefault()
    const from = selection?.focus ?? (step > 0 ? -1 : buckets.length)
    const focus = Math.min(Math.max(from + step, 0), buckets.length - 1)
    setSelection({ anchor: event.shiftKey ? (selection?.anchor ?? focus) : focus, focus })
  }
  return (
    <figure className="plot">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset has no keys */}
      <div
        className="plot-area"
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the plot has keys
        tabIndex={0}
        aria-label={texts.flows.plot}
        onKeyDown={onKeyDown}
        onKeyUp={(event) => event.key === 'Shift' && low !== high && selection && apply()}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          isDragging.current = true
          setSelection({ anchor: indexAt(event), focus: indexAt(event) })
        }}
        onPointerMove={(event) => {
          const focus = indexAt(event)
          setSelection({ anchor: isDragging.current ? (selection?.anchor ?? focus) : focus, focus })
        }}
        onPointerUp={() => {
          isDragging.current = false
          if (low !== high) apply()
        }}
        onPointerLeave={() => !isDragging.current && setSelection(null)}
      >
        <div ref={host} />
        {selection && width > 0 && (
          <svg className="plot-selection" width={width} height={height} aria-hidden="true">
            <rect x={xOf(begin)} y={0} width={xOf(end) - xOf(begin)} height={height - bottom} />
          </svg>
        )}
      </div>
      <figcaption aria-live="polite">
        <span>
          <Time value={new Date(begin).toISOString()} exact /> – <Time value={new Date(end).toISOString()} exact />
        </span>
        <ul className="legend">
          {series.map(({ name, color }, index) => (
            <li key={color}>
              <svg width={10} height={10} aria-hidden="true">
                <rect width={10} height={10} rx={2} fill={`var(--${color})`} />
              </svg>
              {name}{' '}
              <strong>{texts.number(chosen.reduce((sum, { amounts }) => sum + (amounts[index] ?? 0n), 0n))}</strong>
            </li>
          ))}
        </ul>
      </figcaption>
    </figure>
  )
}
