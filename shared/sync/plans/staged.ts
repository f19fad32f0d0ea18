import type { Counts, RunSkipped } from '../runs/run.ts'

/** What a commit has done of the entries of a plan that it was given. */
export type Staged = {
  /** So many entries need not be looked at again. */
  handled: number
  changes: { object: string; change: keyof Counts }[]
  skipped: RunSkipped[]
  /** An administrator, or an identity of one, is deleted. Only a caller who may administer restores it (I4.1(6)). */
  tookAdministrator?: boolean
}

export const nothingStaged = (): Staged => ({ handled: 0, changes: [], skipped: [] })

export const stagedSkip = (staged: Staged, idpId: string, name: string | null, reason: string): void => {
  staged.skipped.push({ idp_id: idpId, name, reason })
}
