import { parseTimestamp, timestamp } from '#shared/core/clock.ts'
import { Fault } from '../fault.ts'
import type { ExportOptions } from './export-options.ts'
import type { Entry } from './log-answers.ts'
import type { LogClient } from './log-client.ts'
import type { Written } from './resume-export.ts'

/**
 * Holds what a broken export has against the range that is asked for: the seal would prove another one.
 * @throws Fault where it was begun with another range
 */
export async function rejectOtherRange(
  client: LogClient,
  { type, begin, out }: ExportOptions,
  last: Entry | null,
  written: Written,
): Promise<void> {
  if (!written.first || !written.last) return
  const other = (option: string) =>
    new Fault(`${out} broke off and was begun with another ${option}. Give that one, or another --out.`)
  if (!last || written.last.log_id > last.log_id) throw other('--end')
  const [asked, first] = [parseTimestamp(begin), parseTimestamp(written.first.timestamp)]
  if (asked === null || first === null || first < asked) throw other('--begin')
  if (first === asked) return
  const before = { type, begin: timestamp(asked), end: timestamp(first - 1) }
  const { value: missing = [] } = await client.pages(before, '1').next()
  if (missing.length > 0) throw other('--begin')
}
