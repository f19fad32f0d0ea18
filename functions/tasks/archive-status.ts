import { listArchives } from '#shared/archive/list-archives.ts'
import { watched } from '#shared/core/logging/watched.ts'
import { task } from '#shared/core/work/task.ts'

/** Operator task: lists how far the logs of each account are archived and sealed (R11). */
export const handler = watched('archive-status', task(listArchives))
