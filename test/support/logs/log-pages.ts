import type { AccountRow } from '#shared/domain/accounts/account.ts'
import { listLogs } from '#shared/logs/query-logs.ts'

/** Reads the pages of a log listing: `forward` from the first to the last page, then `backward` from the last to the first. */
export async function readPages(account: AccountRow, query: Record<string, string>) {
  const ask = async (cursor: string | null) => {
    const { data, metadata } = await listLogs(
      account,
      new URLSearchParams({ ...query, ...(cursor !== null && { page_cursor: cursor }) }),
    )
    return { ids: data.map(({ log_id }) => log_id), ...metadata }
  }
  const forward = [await ask(null)]
  for (let next = forward[0]?.next_page; next; next = forward.at(-1)?.next_page) forward.push(await ask(next))
  const backward = []
  for (let previous = forward.at(-1)?.prev_page; previous; previous = backward[0]?.prev_page)
    backward.unshift(await ask(previous))
  return { forward, backward }
}
