import type { AccountRow } from '#shared/domain/accounts/account.ts'
import { listLogs } from '#shared/logs/query-logs.ts'

/** Reads a log listing page by page: `forth` from the first to the last page, `back` from there to the first. */
export async function readPages(account: AccountRow, query: Record<string, string>) {
  const ask = async (cursor: string | null) => {
    const { data, metadata } = await listLogs(
      account,
      new URLSearchParams({ ...query, ...(cursor !== null && { page_cursor: cursor }) }),
    )
    return { ids: data.map(({ log_id }) => log_id), ...metadata }
  }
  const forth = [await ask(null)]
  for (let next = forth[0]?.next_page; next; next = forth.at(-1)?.next_page) forth.push(await ask(next))
  const back = []
  for (let previous = forth.at(-1)?.prev_page; previous; previous = back[0]?.prev_page)
    back.unshift(await ask(previous))
  return { forth, back }
}
