import { texts } from '../texts/texts.ts'

const units = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const

/** Returns seconds in the largest unit that divides them, such as "7 days". */
export function durationText(seconds: number, unitDisplay: 'long' | 'short' = 'long'): string {
  const [size, unit] = units.find(([length]) => seconds % length === 0 && seconds >= length) ?? [1, 'second' as const]
  const format = new Intl.NumberFormat(texts.locale, { style: 'unit', unit, unitDisplay })
  return format.format(seconds / size)
}
