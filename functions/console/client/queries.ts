import { keepPreviousData, QueryClient, useQuery } from '@tanstack/react-query'
import { createStore } from '../parts/store.ts'
import type { CalledRoute, Operations } from './api-types.ts'
import { Problem } from './problem.ts'
import { type Options, send } from './request.ts'

/** Cache of responses. Repeats a failed read twice if a later attempt can succeed. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // A read without a network fails, and is shown as failed. By default it would wait without a word.
      networkMode: 'always',
      refetchOnReconnect: true,
      retry: (count, error) => count < 2 && error instanceof Problem && [0, 502, 503, 504].includes(error.status),
    },
  },
})

type Reading<R extends CalledRoute> = Options<R> & {
  enabled?: boolean
  keep?: boolean
  /** Returns the milliseconds until the next read of a response that changes by itself; false if it does not. */
  every?: (answer: Operations[R]['answer']) => number | false
}

/** Milliseconds between two reads of rows with `online`, while the tab is visible (K5.7). */
const onlineInterval = 30_000

/** True for an object or rows that show whether a device is online. */
function hasOnline(data: unknown): boolean {
  const [first] = [data].flat()
  return typeof first === 'object' && first !== null && 'online' in first
}

/** Reads with a `GET` operation. With `keep`, the previous page is shown until the next one is there. */
export function useRead<R extends CalledRoute>(
  route: R,
  { enabled = true, keep = false, every, ...options }: Reading<R>,
) {
  const rest = options as unknown as Options<R>
  return useQuery<{ answer: Operations[R]['answer']; etag: string | null }, Problem>({
    queryKey: [route, rest.path ?? {}, rest.query ?? {}],
    queryFn: ({ signal }) => send(route, { ...rest, signal }),
    enabled,
    refetchInterval: ({ state }) =>
      hasOnline((state.data?.answer as { data?: unknown })?.data) ? onlineInterval : false,
    ...(keep && { placeholderData: keepPreviousData }),
    ...(every && { refetchInterval: ({ state: { data } }) => (data ? every(data.answer) : false) }),
  })
}

/** Number of own writes in this tab. Lists show what they changed at once, but changes of others only on demand (K5.7). */
export const ownWrites = createStore(0)

/** Refetches what is visible after a write, because one change can affect several objects (A29). */
export function refreshAll(): Promise<void> {
  const refetched = queryClient.invalidateQueries()
  ownWrites.set(ownWrites.get() + 1)
  return refetched
}
