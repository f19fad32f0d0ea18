import { expect } from 'vitest'
import type { Handler } from '#shared/http/lambda.ts'
import type { Account, Answer } from '../accounts/account.ts'

/** Lambda's limit for the size of a result, in bytes. The result is JSON that contains the body as a string. */
const maxResultBytes = 6_291_556

export type ListRequest = { handler: Handler; params?: Record<string, string>; query?: Record<string, string> }

type ListedRow = { id?: string; log_id?: string; name?: string }
type Page = { ids: string[]; answer: Answer }

/** Reads one page of a list, and expects at least one row. A page of 100 rows of this size must fit into a response. */
export async function readPage(
  account: Account,
  { handler, params, query }: ListRequest,
  cursor?: string | null,
): Promise<Page> {
  const paged: Record<string, string> = { limit: '100', ...query, ...(cursor && { page_cursor: cursor }) }
  const answer = await account.call(handler, { params, query: paged, path: '/listed' })
  const { status, headers, text, body } = answer
  expect(status, text.slice(0, 500)).toBe(200)
  const hundred = 100 / Number(paged.limit)
  expect(hundred * Buffer.byteLength(text)).toBeLessThanOrEqual(5_500_000)
  const result = JSON.stringify({ statusCode: status, headers, body: text })
  expect(hundred * Buffer.byteLength(result)).toBeLessThan(maxResultBytes)
  expect(body.metadata.limit).toBe(Number(paged.limit))
  expect(body.data.length).toBeGreaterThan(0)
  return { ids: body.data.map(({ id, log_id, name }: ListedRow) => id ?? log_id ?? name), answer }
}

/** Reads all pages of a list forward and backward, and expects both directions to return the same rows. */
export async function walkPages(account: Account, request: ListRequest) {
  const pages = [await readPage(account, request)]
  const last = () => (pages.at(-1) as Page).answer.body.metadata
  while (last().next_page) pages.push(await readPage(account, request, last().next_page))
  const back = [pages.at(-1) as Page]
  const first = () => (back[0] as Page).answer.body.metadata
  while (first().prev_page) back.unshift(await readPage(account, request, first().prev_page))
  const ids = pages.flatMap((page) => page.ids)
  expect(back.flatMap((page) => page.ids)).toEqual(ids)
  return {
    ids,
    pages: pages.length,
    totals: [...new Set([...pages, ...back].map(({ answer }) => answer.body.metadata.total))],
    rows: pages.flatMap(({ answer }) => answer.body.data),
  }
}
