import type { ExportType } from './log-answers.ts'

export type ExportOptions = {
  type: ExportType
  begin: string
  end: string
  out: string
  /** A note, or the file of one or of an export: what the newer log is to be shown to extend. */
  against?: string
  /** How much of the time range is written, from 0 to 1, and how many entries. */
  progress?: (part: number, entries: number) => void
}
