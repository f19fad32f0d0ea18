import type { SkipReason } from './page.ts'

/**
 * What becomes of a run (I6). `again`: the call is repeated, not before `retryAfterMs` where the provider says so. `lost_place`:
 * the list is read from its start. `object_gone`: what was asked for is skipped with `reason`. `fatal`: the run ends, and
 * what it belongs to is disabled. `transient`: the run ends. A token that ended is no fault: the adapter renews it.
 */
export type FaultClass = 'again' | 'lost_place' | 'object_gone' | 'fatal' | 'transient'

type Extra = {
  retryAfterMs?: number
  reason?: Extract<SkipReason, 'gone' | 'foreign_group'>
  /** What a list that loses its place each time ends as. */
  atLast?: 'fatal' | 'transient'
  cause?: unknown
}

const longest = 1_000

/** An outside service did not answer as it should. The message is one sentence for an administrator, without secrets (I6). */
export class ProviderFault extends Error {
  override readonly name = 'ProviderFault'
  readonly faultClass: FaultClass
  readonly retryAfterMs: number | null
  readonly reason: 'gone' | 'foreign_group'
  readonly atLast: 'fatal' | 'transient'

  constructor(faultClass: FaultClass, sentence: string, extra: Extra = {}) {
    super((sentence.length > longest ? `${sentence.slice(0, longest - 1)}…` : sentence).toWellFormed(), {
      cause: extra.cause,
    })
    this.faultClass = faultClass
    this.retryAfterMs = extra.retryAfterMs ?? null
    this.reason = extra.reason ?? 'gone'
    this.atLast = extra.atLast ?? 'transient'
  }
}
