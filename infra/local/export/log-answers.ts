import type { ExportSeal } from '#shared/seal/export/export-seal.ts'

export type ExportType = ExportSeal['stream']

/** What of the answers of `/logs` and `/logs/checkpoints` an export looks at. */
export type Entry = { log_id: string; timestamp: string }
export type Proof = {
  leaf_index: number
  path: string[]
  hour?: { hour: string; stream: ExportType; size: number; index: number; path: string[] }
}
export type Checkpoint = {
  size: number
  note: string | null
  verifier_key: string
  signed_at: string | null
  follows: { note: string; origin: string; shared: number } | null
}
